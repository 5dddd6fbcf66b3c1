import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import type { Database } from '../../src/storage/database.ts'
import { sql } from '../../src/storage/statement.ts'
import { faultsIn } from '../support/error-bodies.ts'
import { extract, extractPath, once, submitExtraction } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback, scrapeNow } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

onBothStores((kind, start) => {
  test(`${kind}: the list of jobs`, async (t) => {
    const site = await startTestSite(t)
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const stranger = await service.createAccount()
    const list = async (query = '') =>
      (await account.call(`GET ${extractPath}/jobs${query}`)).json()
    const idsOf = async (query: string): Promise<string[]> =>
      (await list(query)).jobs.map(({ job_id }: { job_id: string }) => job_id)

    await t.test('an account without jobs has an empty list of 0 pages', async () => {
      assert.deepEqual(await list(), {
        jobs: [],
        page: 1,
        page_size: 100,
        page_count: 0,
        is_capped: false,
      })
    })

    const idOf = async (body: object) =>
      (await extract(account, body)).headers['x-job-id'] as string
    const page = await idOf({ url: site.url('/page/cod?token=Secret') })
    const text = await idOf({ url: site.url('/page/pike'), formats: ['markdown', 'text'] })
    const failed = await idOf({ url: site.url('/reset'), ...once })
    const scraped = await scrapeNow(account, { url: site.url('/page/scraped') })
    const scrape = scraped.headers['x-request-id'] as string
    const open = await submitExtraction(account, {
      url: held.url('/open').replace('http://', 'http://user:pass@'),
    })
    await held.untilHeld('/open')
    await extract(stranger, { url: site.url('/page/cod') })

    await t.test('jobs are listed newest first, scrapes too, with these fields', async () => {
      const { jobs, ...envelope } = await list()

      assert.deepEqual(envelope, { page: 1, page_size: 100, page_count: 1, is_capped: false })
      const ids = jobs.map(({ job_id }: { job_id: string }) => job_id)
      assert.deepEqual(ids, [open, scrape, failed, text, page])
      const { created_at, execution_time, ...rest } = jobs[3]
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.ok(Number.isInteger(execution_time))
      assert.deepEqual(rest, {
        job_id: text,
        status: 'completed',
        url: site.url('/page/pike'),
        output: ['markdown'],
        all_formats: ['markdown', 'text'],
      })
      assert.deepEqual(
        [jobs[0].status, jobs[0].execution_time, jobs[0].url],
        ['processing', null, held.url('/open')],
      )
      assert.deepEqual([jobs[1].output, jobs[1].all_formats], [['html'], ['html']])
    })

    const today = new Date().toISOString().slice(0, 10)
    const filters: [name: string, query: string, ids: () => string[]][] = [
      ['by job_id', `?job_id=${page}`, () => [page]],
      ['by job_id in capitals', `?job_id=${page.toUpperCase()}`, () => [page]],
      ['by an unknown job_id', '?job_id=01a1def5-68ae-7e29-9849-4f82ca93e413', () => []],
      ['by a part of the path', '?url=page/', () => [scrape, text, page]],
      ['by a part of the URL in another case', '?url=PAGE%2FCOD', () => [page]],
      ['by a part of the query of the URL', '?url=token%3Dsecret', () => [page]],
      ['never by the user of a URL', '?url=user', () => []],
      ['by a character that SQL would take for a pattern', '?url=%25', () => []],
      ['by status completed', '?status=completed', () => [scrape, text, page]],
      ['by status failed', '?status=failed', () => [failed]],
      ['by status processing', '?status=processing', () => [open]],
      ['by status queued', '?status=queued', () => []],
      ['by output markdown', '?output=markdown', () => [text]],
      ['by output html', '?output=html', () => [open, scrape, failed, page]],
      ['by output text', '?output=text', () => [text]],
      ['by several filters', '?output=html&status=completed&url=page', () => [scrape, page]],
      ['from a day on', `?start_date=${today}`, () => [open, scrape, failed, text, page]],
      ['up to a day', `?end_date=${today}`, () => [open, scrape, failed, text, page]],
      ['up to the past', '?end_date=2020-01-01T00:00:00%2B0000', () => []],
      ['from the future on', '?start_date=2999-01-01', () => []],
      ['by page', '?page_size=2&page=2', () => [failed, text]],
      ['by page of a search', '?url=page/&page_size=2&page=2', () => [page]],
    ]
    for (const [name, query, expected] of filters) {
      await t.test(`the list can be narrowed ${name}`, async () => {
        assert.deepEqual(await idsOf(query), expected())
      })
    }

    await t.test('both ends of a period are inclusive to the millisecond', async () => {
      const { jobs } = await list(`?job_id=${page}`)
      const at = encodeURIComponent(jobs[0].created_at)
      const before = new Date(Date.parse(jobs[0].created_at) - 1).toISOString()

      assert.ok((await idsOf(`?start_date=${at}&end_date=${at}`)).includes(page))
      assert.equal((await idsOf(`?end_date=${before}`)).includes(page), false)
    })

    await t.test('pages are counted', async () => {
      const { page, page_size, page_count } = await list('?page_size=2&page=9')

      assert.deepEqual([page, page_size, page_count], [9, 2, 3])
    })

    const faults: [query: string, fault: string][] = [
      ['?page=0', 'query.page greater_than_equal'],
      ['?page_size=101', 'query.page_size less_than_equal'],
      ['?page=x', 'query.page int_parsing'],
      ['?job_id=x', 'query.job_id uuid_parsing'],
      ['?status=done', 'query.status literal_error'],
      ['?output=pdf', 'query.output literal_error'],
      ['?start_date=yesterday', 'query.start_date datetime_parsing'],
      ['?end_date=2025-02-30', 'query.end_date datetime_parsing'],
    ]
    for (const [query, fault] of faults) {
      await t.test(`${query} is a fault`, async () => {
        assert.deepEqual(faultsIn(await account.call(`GET ${extractPath}/jobs${query}`)), [fault])
      })
    }
  })

  test(`${kind}: more than 10 000 jobs are counted to 10 000, and the list says so`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    const { id } = await getAccount(db, account.username)
    const list = async (query: string) =>
      (await account.call(`GET ${extractPath}/jobs?page_size=100${query}`)).json()

    await insertJobs(db, id, 10_000)
    const full = await list('')
    await insertJobs(db, id, 1)
    const more = await list('')
    const last = await list('&page=100')
    const found = await list('&url=job-1.')
    const failed = await list('&status=failed')

    assert.deepEqual([full.page_count, full.is_capped], [100, false])
    assert.deepEqual([more.page_count, more.is_capped, more.jobs.length], [100, true, 100])
    assert.equal(last.jobs.length, 100)
    // The newest 10 000 were looked through.
    assert.deepEqual([found.jobs.length, found.is_capped], [1, true])
    assert.deepEqual([failed.page_count, failed.is_capped], [0, false])
  })
})

/** Cancelled jobs, as rows in the store. */
const insertJobs = (db: Database, accountId: string, count: number) =>
  db.run(sql<never>`
    with recursive numbers (number) as (
      select 1 union all select number + 1 from numbers where number < ${count})
    insert into tasks
      (id, account_id, kind, url, callback_on_failure, request, state, attempts, attempt_log,
       created_at_ms, completed_at_ms)
    select 'job-' || ${count} || '-' || number, ${accountId}, 'realtime',
           'http://job-' || number || '.test/', 0,
           '{"url":"http://job-' || number || '.test/"}', 'cancelled', 0, '[]',
           ${db.nowMs()}, ${db.nowMs()}
    from numbers`)

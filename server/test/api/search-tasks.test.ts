import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccount } from '../../src/accounts/accounts.ts'
import { countTaskRows, findLastOf, listTaskUrlsAfter } from '../../src/storage/queries/tasks.ts'
import { type Statement, sql } from '../../src/storage/statement.ts'
import { TaskSearchResult, type TaskSummary } from '../../src/wire/tasks/responses.ts'
import { submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { faultsIn } from '../support/error-bodies.ts'
import { extract, once, submitExtraction } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { startPageSite } from '../support/page-site.ts'
import { closedPortUrl, reachingLoopback, scrapeNow, submitTask } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: searching tasks`, async (t) => {
    const site = await startPageSite(t)
    for (const path of ['/cod', '/pike']) site.page(path, '<p>fish</p>')
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const search = async (query = '') => {
      const response = await account.call(`GET /v1/tasks${query}`)
      assert.equal(response.statusCode, 200, response.text)
      return TaskSearchResult.parse(response.json())
    }
    const idsOf = async (query: string) => (await search(query)).tasks.map(({ id }) => id)
    const kindsOf = (tasks: TaskSummary[]) => tasks.map((task) => `${task.kind} ${task.status}`)

    await t.test('an account without tasks has an empty list of 0 pages', async () => {
      const { page_count, is_capped, tasks } = await search()
      assert.deepEqual(
        { page_count, is_capped, tasks },
        { page_count: 0, is_capped: false, tasks: [] },
      )
    })

    const scraped = await scrapeNow(account, { url: site.url('/cod?Token=1') })
    const scrape = scraped.headers['x-request-id'] as string
    const failed = (await extract(account, { url: closedPortUrl, ...once })).headers['x-job-id']
    const urls = [site.url('/cod'), closedPortUrl]
    const { job_id: batch } = await submitBatch(account, { urls, ...once })
    await untilBatchEnded(account, batch)
    const open = await submitExtraction(account, { url: held.url('/open') })
    await held.untilHeld('/open')
    const callback = await submitTask(account, { url: held.url('/callback') })
    await held.untilHeld('/callback')

    await t.test('tasks of every kind are listed newest first', async () => {
      const { tasks } = await search()

      assert.deepEqual(kindsOf(tasks).toSorted(), [
        'batch completed',
        'batch failed',
        'callback processing',
        'extract failed',
        'extract processing',
        'realtime completed',
      ])
      const times = tasks.map(({ created_at }) => created_at)
      assert.deepEqual(times, times.toSorted().reverse())
      assert.deepEqual([tasks[0]?.id, tasks[1]?.id], [callback, open])
    })

    await t.test('a task shows what is known of it', async () => {
      const [task] = (await search(`?host=127.0.0.1:${site.port}&url=token=1`)).tasks
      assert.ok(task && task.bytes !== null && task.duration_ms !== null)
      const { created_at, started_at, completed_at, duration_ms, bytes, ...known } = task

      assert.deepEqual(known, {
        id: scrape,
        kind: 'realtime',
        status: 'completed',
        url: site.url('/cod?Token=1'),
        host: `127.0.0.1:${site.port}`,
        job_id: null,
        retry_of: null,
        attempts: 1,
        engine: 'http',
        http_status: 200,
        error: null,
      })
    })

    await t.test('each filter leaves the tasks that fit, and filters combine', async () => {
      assert.deepEqual(kindsOf((await search('?status=failed')).tasks).toSorted(), [
        'batch failed',
        'extract failed',
      ])
      assert.equal((await idsOf('?status=processing')).length, 2)
      assert.deepEqual(await idsOf('?status=cancelled'), [])
      assert.equal((await idsOf('?code=TARGET_UNREACHABLE')).length, 2)
      assert.deepEqual(await idsOf('?code=TARGET_UNREACHABLE&status=completed'), [])
      assert.deepEqual(await idsOf('?code=TARGET_TIMEOUT'), [])
      assert.equal((await idsOf(`?job=${batch}`)).length, 2)
      assert.equal((await idsOf(`?job=${batch}&status=failed&host=127.0.0.1`)).length, 1)
      assert.deepEqual(await idsOf(`?job=${scrape}`), [])
      assert.equal((await idsOf('?host=127.0.0.1')).length, 6)
      assert.deepEqual(await idsOf('?host=127.0.0_1'), [])
      assert.equal((await idsOf(`?host=127.0.0.1:${site.port}`)).length, 2)
      assert.equal((await idsOf('?url=/COD')).length, 2)
      assert.deepEqual(await idsOf(`?url=callback&code=TARGET_UNREACHABLE&job=${batch}`), [
        (await idsOf(`?job=${batch}&status=failed`))[0],
      ])
      assert.deepEqual(await idsOf('?end_date=2020-01-01'), [])
      assert.equal((await idsOf('?start_date=2020-01-01')).length, 6)
      assert.ok(failed)
    })

    await t.test(
      'pages follow one another without gaps, past singles and pages of jobs',
      async () => {
        const all = await idsOf('')
        const paged = []
        for (const page of [1, 2, 3]) paged.push(...(await idsOf(`?page_size=2&page=${page}`)))

        assert.deepEqual(paged, all)
        assert.equal((await search('?page_size=2')).page_count, 3)
        assert.deepEqual(await idsOf('?page=999999999999'), [])
      },
    )

    await t.test('bad filters are named', async () => {
      const response = await account.call('GET /v1/tasks?status=x&code=NOPE&job=1&host=a/b')
      assert.deepEqual(faultsIn(response).toSorted(), [
        'query.code literal_error',
        'query.host string_pattern_mismatch',
        'query.job uuid_parsing',
        'query.status literal_error',
      ])
    })

    await t.test(
      'more than 10 000 tasks are counted no further, and no table is read whole',
      async () => {
        const { db } = await service.openBeside()
        const many = await service.createAccount()
        const { id: accountId } = await getAccount(db, many.username)
        await db.run(copies(accountId, 10_500))
        const { tasks, page_count, is_capped } = (await many.call('GET /v1/tasks')).json()
        await db.run(sql`analyze tasks`)

        assert.equal(tasks.length, 100)
        assert.deepEqual({ page_count, is_capped }, { page_count: 100, is_capped: true })
        const filter = { accountId }
        for (const statement of [
          countTaskRows(filter, 101),
          countTaskRows({ accountId, status: 'failed' }, 101),
          findLastOf(filter, { after: undefined, count: 50 }),
          listTaskUrlsAfter({ filter, traits: {} }, { after: undefined, limit: 50 }),
        ]) {
          const plan = await explain(db, statement)
          assert.doesNotMatch(plan, /SCAN tasks$|Seq Scan on tasks/m, plan)
        }
        // Open tasks are few: they are not looked for among all that the account ever had.
        const queued = countTaskRows({ accountId, status: 'queued' }, 101)
        assert.doesNotMatch(await explain(db, queued), /by_account/)
        // Completed ones may be few among many.
        const completed = countTaskRows({ accountId, status: 'completed' }, 101)
        assert.doesNotMatch(await explain(db, completed), /by_account/)
        const last = (await many.call('GET /v1/tasks?page=100')).json().tasks
        assert.deepEqual([last.length, last[0].id, last.at(-1).id], [100, 'copy-600', 'copy-501'])
      },
    )
  })
})

/** Completed tasks that nobody reads; their requests are no ciphertexts. */
const copies = (accountId: string, count: number): Statement<never> => sql`
  insert into tasks (id, account_id, kind, url, callback_on_failure, request, state, attempts,
                     attempt_log, created_at_ms, completed_at_ms)
  with recursive numbers (number) as (
    select 1 union all select number + 1 from numbers where number < cast(${count} as integer)
  )
  select 'copy-' || number, ${accountId}, 'realtime', 'http://a.test/', 0,
         '{"url":"http://a.test/","timeoutMs":1,"forwardedHeaders":{}}', 'completed', 0, '[]', number, number
  from numbers`

async function explain(
  db: { kind: string; run<Row>(statement: Statement<Row>): Promise<Row[]> },
  statement: Statement<unknown>,
): Promise<string> {
  const rows =
    db.kind === 'sqlite'
      ? await db.run(sql<{ detail: string }>`explain query plan ${statement}`)
      : await db.run(sql<{ 'QUERY PLAN': string }>`explain ${statement}`)
  return rows.map((row) => Object.values(row).at(-1)).join('\n')
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AcceptedCrawl } from '../../src/wire/crawl/responses.ts'
import { callApi } from '../support/call-api.ts'
import { crawlPath, startCrawl, untilCrawled } from '../support/crawl-calls.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { faultsOfExtraction } from '../support/extract-calls.ts'
import { addLinkPages, pathsOf } from '../support/link-pages.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, start) => {
  test(`${kind}: starting a crawl`, async (t) => {
    const site = await startPageSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const post = (body: unknown, headers = {}) =>
      callApi(service.url, `POST ${crawlPath}`, {
        headers: { 'x-api-key': account.apiKey, ...headers },
        body,
      })

    await t.test('a crawl is accepted with its id and the limit as the estimate', async () => {
      addLinkPages(site, { '/accepted': [] })

      const answer = await post({ url: site.url('/accepted'), limit: 7 })

      assert.equal(answer.statusCode, 202)
      const body = AcceptedCrawl.strict().parse(answer.json())
      assert.equal(body.url, site.url('/accepted'))
      assert.equal(body.status, 'queued')
      assert.equal(body.estimated_pages, 7)
      assert.equal(body.status_url, `${crawlPath}/${body.job_id}`)
      assert.equal(answer.headers['location'], body.status_url)
    })

    await t.test('a crawl of depth 1 is estimated at one page, whatever its limit', async () => {
      const answer = await post({ url: site.url('/accepted'), depth: 1 })

      assert.equal(answer.json().estimated_pages, 1)
    })

    await t.test('by default the seed and its links are fetched, and nothing deeper', async () => {
      addLinkPages(site, {
        '/seed': ['/near/1', '/near/2', '/near/1#part'],
        '/near/1': ['/far'],
        '/near/2': ['/seed'],
        '/far': [],
      })

      const crawl = await untilCrawled(
        account,
        await startCrawl(account, { url: site.url('/seed') }),
      )

      assert.deepEqual(pathsOf(crawl), ['/seed', '/near/1', '/near/2'])
      assert.equal(crawl.status, 'completed')
      assert.deepEqual(crawl.crawl_config, {
        render_js: false,
        formats: ['markdown'],
        all_formats: ['markdown'],
        proxy: { country: null, type: 'residential' },
        headers: null,
        wait_config: null,
        same_domain_only: true,
        include_subdomains: false,
      })
      assert.equal(crawl.results[0]?.data !== null, true)
      assert.equal(site.askedFor('/near/1').length, 1)
    })

    await t.test('null means "not set" and unknown fields are ignored', async () => {
      addLinkPages(site, { '/unset': ['/near/2'] })

      const id = await startCrawl(account, {
        url: site.url('/unset'),
        depth: null,
        limit: null,
        include_paths: null,
        callback_url: null,
        whatever: 1,
      })

      assert.deepEqual(pathsOf(await untilCrawled(account, id)), ['/unset', '/near/2'])
    })

    const bad: [body: object, fault: RegExp][] = [
      [{}, /^body\.url /],
      [{ url: 'ftp://example.com/' }, /^body\.url /],
      [{ url: 'http://example.com/', depth: 0 }, /^body\.depth /],
      [{ url: 'http://example.com/', depth: 11 }, /^body\.depth /],
      [{ url: 'http://example.com/', limit: 0 }, /^body\.limit /],
      [{ url: 'http://example.com/', limit: 10_001 }, /^body\.limit /],
      [{ url: 'http://example.com/', delay_ms: 30_001 }, /^body\.delay_ms /],
      [{ url: 'http://example.com/', formats: [] }, /^body\.formats/],
      [{ url: 'http://example.com/', include_paths: [''] }, /^body\.include_paths/],
      [{ url: 'http://example.com/', include_paths: ['*a'.repeat(11)] }, /^body\.include_paths/],
      [{ url: 'http://example.com/', exclude_paths: ['*a'.repeat(11)] }, /^body\.exclude_paths/],
      [{ url: 'http://example.com/', method: 'POST' }, /^body\.method /],
      [{ url: 'http://example.com/', method: 'DELETE' }, /^body\.method /],
      [{ url: 'http://example.com/', callback_url: 'mailto:a@b' }, /^body\.callback_url /],
    ]
    for (const [body, fault] of bad) {
      await t.test(`${JSON.stringify(body)} gets 422`, async () => {
        const answer = await post(body)

        const faults =
          'tokens_charged' in answer.json() ? faultsOfExtraction(answer) : faultsIn(answer)
        assert.equal(faults.length, 1)
        assert.match(faults[0] ?? '', fault)
      })
    }

    await t.test('a seed or a callback that the egress guard refuses gets 422', async () => {
      for (const body of [
        { url: 'http://10.0.0.1/' },
        { url: 'http://169.254.169.254/latest/' },
        { url: site.url('/seed'), callback_url: 'http://10.0.0.1/' },
      ]) {
        const answer = await post(body)
        assert.equal(answer.statusCode, 422, answer.text)
        assert.match(answer.text, /URL_NOT_ALLOWED/)
      }
    })

    await t.test('a crawl under the same idempotency key is started once', async () => {
      addLinkPages(site, { '/only-once': [] })
      const body = { url: site.url('/only-once') }
      const key = { 'idempotency-key': 'crawl it once' }

      const answers = await Promise.all(Array.from({ length: 5 }, () => post(body, key)))
      const again = await post(body, key)
      const other = await post({ ...body, limit: 3 }, key)
      await untilCrawled(account, again.json().job_id)

      assert.equal(again.statusCode, 202)
      const ids = answers.filter(({ statusCode }) => statusCode === 202)
      assert.equal(new Set([...ids, again].map((one) => one.json().job_id)).size, 1)
      assert.equal(again.headers['idempotency-replayed'], 'true')
      assert.deepEqual(faultsIn(other), ['header.idempotency-key value_error'])
      assert.equal(site.askedFor('/only-once').length, 1)
    })

    await t.test('a crawl without credentials gets 401', async () => {
      const answer = await callApi(service.url, `POST ${crawlPath}`, {
        body: { url: site.url('/') },
      })
      assertFailure(answer, 'UNAUTHORIZED')
    })
  })
})

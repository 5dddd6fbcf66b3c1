import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Progress } from '@modelcontextprotocol/client'
import { callApi } from '../support/call-api.ts'
import { getCrawl } from '../support/crawl-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { connectMcp, type McpOutput, mcpRevisions } from '../support/mcp-client.ts'
import { startPageSite } from '../support/page-site.ts'
import { retryWhileUnavailable } from '../support/retry-while-unavailable.ts'
import { closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const codeOf = ({ about }: McpOutput) => (about['error'] as { code: string } | undefined)?.code

/** Every line is different, and pairs of surrogates lie on every boundary sooner or later. */
const largePage = (): string => {
  const lines = Array.from(
    { length: 130_000 },
    (_, index) => `<p>${index} 🐟🐠 a line of fish.</p>`,
  )
  return `<!doctype html><title>Fish</title>${lines.join('\n')}`
}

test('calls of MCP tools', async (t) => {
  const site = await startPageSite(t)
  const held = await startHoldingSite(t)
  const { url, createAccount } = await startTestService(t, { environment: reachingLoopback })
  const connect = async (account: TestAccount, revision: (typeof mcpRevisions)[number]) =>
    connectMcp(t, { url, apiKey: account.apiKey, revision })
  const newestCrawl = async (account: TestAccount): Promise<string> =>
    (await account.call('GET /v1/crawl/jobs')).json().jobs[0].job_id

  for (const revision of mcpRevisions) {
    await t.test(`${revision}: a page of 5 MB is read in parts and fetched once`, async () => {
      const account = await createAccount()
      const mcp = await connect(account, revision)
      const path = `/large-${revision}`
      const page = largePage()
      assert.ok(Buffer.byteLength(page) > 4.5 * 2 ** 20)
      site.page(path, page)

      const first = await mcp.call('extract', {
        url: site.url(path),
        formats: ['html'],
        max_length: 999_999,
      })
      const parts = [first]
      for (let last = first; last.about['truncated']; ) {
        assert.match(
          String(last.about['next']),
          /^This is a part of the output\. Go on with "job", /,
        )
        const { job_id, next_offset: offset } = last.about
        last = await mcp.call('job', { job_id, offset, max_length: 999_999 })
        parts.push(last)
      }

      assert.ok(parts.length >= 5)
      for (const part of parts) {
        assert.equal(part.about['total_length'], page.length)
        assert.ok(part.output.isWellFormed())
      }
      assert.equal(parts.map(({ output }) => output).join(''), page)
      assert.equal(site.askedFor(path).length, 1)
    })

    await t.test(`${revision}: a crawl reports its progress`, async () => {
      const mcp = await connect(await createAccount(), revision)
      const links = Array.from({ length: 5 }, (_, index) => `<a href="/page-${index}">p</a>`)
      site.page('/start', links.join(''))
      for (const index of links.keys()) site.page(`/page-${index}`, `<p>${index}</p>`)
      const reports: Progress[] = []

      const { about } = await mcp.call(
        'crawl',
        { url: site.url('/start'), delay_ms: 300, wait: 60 },
        { onprogress: (report) => void reports.push(report) },
      )

      assert.equal(about['status'], 'completed')
      assert.ok(reports.length >= 2, JSON.stringify(reports))
      assert.deepEqual(
        reports.map(({ progress }) => progress),
        [...new Set(reports.map(({ progress }) => progress))].sort((a, b) => a - b),
      )
      assert.equal(reports.at(-1)?.progress, 6)
      assert.equal(reports.at(-1)?.total, 6)
    })

    await t.test(`${revision}: cancelling a call cancels the crawl it waits for`, async () => {
      const account = await createAccount()
      const mcp = await connect(account, revision)
      const cancel = new AbortController()
      const path = `/cancelled-${revision}`
      const args = { url: held.url(path), respect_robots: false, wait: 300 }
      const called = mcp.call('crawl', args, { signal: cancel.signal })
      await held.untilHeld(path)
      const id = await newestCrawl(account)
      assert.equal((await getCrawl(account, id)).status, 'processing')

      cancel.abort()

      await assert.rejects(called)
      await until(async () => (await getCrawl(account, id)).status === 'cancelled')
    })

    await t.test(
      `${revision}: cancelling a call that only reads leaves the crawl alone`,
      async () => {
        const account = await createAccount()
        const mcp = await connect(account, revision)
        const path = `/watched-${revision}`
        const args = { url: held.url(path), respect_robots: false, wait: 0 }
        const { about } = await mcp.call('crawl', args)
        const request = await held.untilHeld(path)
        assert.match(String(about['still_running']), /crawl_status/)
        const cancel = new AbortController()
        const watching = { job_id: about['job_id'], wait: 300 }
        const called = mcp.call('crawl_status', watching, {
          signal: cancel.signal,
          onprogress: () => cancel.abort(),
        })

        await assert.rejects(called)
        request.answer()

        const ended = await mcp.call('crawl_status', { ...watching, wait: 60 })
        assert.equal(ended.about['status'], 'completed')
      },
    )
  }

  await t.test('a page of 9 MB is read in parts of the JSON text of its job', async () => {
    const account = await createAccount()
    const mcp = await connect(account, '2026-07-28')
    const page = largePage().repeat(2)
    assert.ok(Buffer.byteLength(page) > 9 * 2 ** 20)
    site.page('/huge', page)

    const first = await mcp.call('extract', {
      url: site.url('/huge'),
      formats: ['html'],
      max_length: 1_000_000,
    })
    const parts = [first]
    for (let last = first; last.about['truncated']; ) {
      const { job_id, next_offset: offset } = last.about
      last = await mcp.call('job', { job_id, offset, max_length: 1_000_000 })
      parts.push(last)
    }

    for (const { about } of parts) {
      assert.equal(about['output'], 'response')
      assert.equal(about['job_id'], first.about['job_id'])
    }
    const job = JSON.parse(parts.map(({ output }) => output).join(''))
    assert.equal(job.job_id, first.about['job_id'])
    assert.equal(job.data.html, page)
    assert.equal(site.askedFor('/huge').length, 1)
  })

  await t.test('a client that disconnects cancels its extraction and its crawl', async () => {
    const account = await createAccount()
    const calls = {
      extract: { url: held.url('/hung-up') },
      crawl: { url: held.url('/left'), respect_robots: false, wait: 300 },
    }
    const hangUp = new AbortController()
    const answers = Object.entries(calls).map(([name, args]) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'x-api-key': account.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
        signal: hangUp.signal,
      }).then((response) => response.text()),
    )
    const extracted = await held.untilHeld('/hung-up')
    await held.untilHeld('/left')
    const id = await newestCrawl(account)

    hangUp.abort()

    for (const answer of answers) await assert.rejects(answer)
    await until(() => extracted.isLeft())
    await until(async () => (await getCrawl(account, id)).status === 'cancelled')
  })

  await t.test('another account reaches no job of the first', async () => {
    const [owner, stranger] = [await createAccount(), await createAccount()]
    site.page('/secret', '<p>secret</p>')
    const [own, foreign] = [
      await connect(owner, '2026-07-28'),
      await connect(stranger, '2026-07-28'),
    ]
    const { about: extracted } = await own.call('extract', { url: site.url('/secret') })
    const { about: crawl } = await own.call('crawl', { url: site.url('/secret') })
    const { about: batch } = await own.call('batch', { urls: [site.url('/secret')] })
    const { about: map } = await own.call('map', { url: site.url('/secret') })

    const asked = await Promise.all([
      foreign.call('job', { job_id: extracted['job_id'] }),
      foreign.call('job', { kind: 'map', job_id: map['job_id'] }),
      foreign.call('crawl_status', { job_id: crawl['job_id'], wait: 1 }),
      foreign.call('cancel_crawl', { job_id: crawl['job_id'] }),
      foreign.call('batch_status', { job_id: batch['job_id'] }),
      foreign.call('cancel_batch', { job_id: batch['job_id'] }),
    ])
    const listed = await Promise.all(
      ['extract', 'batch', 'crawl', 'map', 'any'].map((kind) => foreign.call('jobs', { kind })),
    )

    assert.deepEqual(
      asked.map(codeOf),
      asked.map(() => 'NOT_FOUND'),
    )
    for (const { output } of listed) assert.deepEqual(JSON.parse(output).jobs, [])
  })

  await t.test('a hundred calls at once all get their own page', async () => {
    const mcp = await connect(await createAccount(), '2026-07-28')
    const numbers = Array.from({ length: 100 }, (_, index) => index)
    for (const index of numbers) site.page(`/many-${index}`, `<p>page ${index}</p>`)

    const pages = await Promise.all(
      numbers.map(async (index) => {
        const args = { url: site.url(`/many-${index}`) }
        // A busy machine refuses new work for a moment, and says how long.
        for (;;) {
          const page = await mcp.call('extract', args)
          if (codeOf(page) !== 'OVERLOADED') return page
        }
      }),
    )

    assert.deepEqual(
      pages.map(({ output }) => output),
      numbers.map((index) => `page ${index}\n`),
    )
  })

  await t.test('failures of tools have the fine code and say what to do next', async () => {
    const mcp = await connect(await createAccount(), '2026-07-28')
    const call = (tool: string, args: object) =>
      retryWhileUnavailable(
        () => mcp.call(tool, args),
        (output) => codeOf(output) === 'OVERLOADED',
      )
    const long = 'a'.repeat(300_000)

    const failures = {
      URL_NOT_ALLOWED: await call('extract', { url: 'http://169.254.169.254/' }),
      TARGET_UNREACHABLE: await call('extract', {
        url: closedPortUrl,
        configurations: { retries: { useRetries: false } },
      }),
      PAYLOAD_TOO_LARGE: await call('extract', {
        url: site.url('/'),
        method: 'POST',
        body: long,
      }),
      VALIDATION_ERROR: await call('crawl', { url: site.url('/'), wait: 601 }),
    }

    for (const [code, failure] of Object.entries(failures)) {
      assert.equal(failure.isError, true)
      assert.equal(codeOf(failure), code)
      assert.equal(typeof failure.about['next'], 'string')
    }
    for (const args of [
      { kind: 'x' },
      { page: 'x' },
      { page_size: 0 },
      { max_length: 1 },
      { offset: -1 },
    ]) {
      assert.equal(codeOf(await call('jobs', args)), 'VALIDATION_ERROR', JSON.stringify(args))
    }
  })

  await t.test('messages that are no calls of tools are refused or ignored', async () => {
    const { apiKey } = await createAccount()
    const send = (body: unknown, headers = {}) =>
      callApi(url, 'POST /mcp', { headers: { 'x-api-key': apiKey, ...headers }, body })
    const request = { jsonrpc: '2.0', id: 1 }

    assert.equal((await send([{ ...request, method: 'tools/list' }])).statusCode, 422)
    assert.equal((await send({ id: 1, method: 'tools/list' })).statusCode, 422)
    assert.equal(
      (await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).statusCode,
      202,
    )
    const accept = { accept: 'text/html' }
    assert.equal((await send({ ...request, method: 'tools/list' }, accept)).statusCode, 406)
    assert.match((await send({ ...request, method: 'nonsense' })).text, /-32601/)
    const tooLarge = { ...request, method: 'tools/list', params: { a: 'a'.repeat(6 * 2 ** 20) } }
    assert.equal((await send(tooLarge)).statusCode, 413)
    const { text } = await callApi(url, 'GET /metrics')
    assert.match(text, /^trawl_mcp_calls_total\{tool="crawl",outcome="cancelled"\} [1-9]/m)
    assert.match(text, /^trawl_mcp_calls_total\{tool="extract",outcome="completed"\} [1-9]/m)
  })
})

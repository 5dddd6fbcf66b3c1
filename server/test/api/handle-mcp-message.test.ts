import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { connectMcp, mcpRevisions } from '../support/mcp-client.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'

const toolNames = [
  'extract',
  'batch',
  'batch_status',
  'cancel_batch',
  'crawl',
  'crawl_status',
  'cancel_crawl',
  'map',
  'job',
  'jobs',
  'statistics',
]

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

test('POST /mcp serves the tools of MCP', async (t) => {
  const site = await startPageSite(t)
  site.page('/cod', '<title>Cod</title><h1>Cod</h1><p>A fish. <a href="/eel">Eel</a></p>')
  site.page('/eel', '<title>Eel</title><h1>Eel</h1><p>Another fish.</p>')
  const { url, createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const [newest, before] = await Promise.all(
    mcpRevisions.map((revision) => connectMcp(t, { url, apiKey: account.apiKey, revision })),
  )
  assert(newest && before)

  for (const [index, revision] of mcpRevisions.entries()) {
    await t.test(`a client of revision ${revision} lists and calls every tool`, async () => {
      const mcp = index === 0 ? newest : before
      const { tools } = await mcp.client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        toolNames,
      )
      for (const { annotations, inputSchema } of tools) {
        assert.equal(typeof annotations?.readOnlyHint, 'boolean')
        assert.ok('max_length' in (inputSchema.properties ?? {}))
      }

      const extracted = await mcp.call('extract', { url: site.url('/cod') })
      const job = await mcp.call('job', { job_id: extracted.about['job_id'] })
      const batch = await mcp.call('batch', { urls: [site.url('/cod'), site.url('/eel')] })
      const batchId = batch.about['job_id']
      const batchStatus = await mcp.call('batch_status', { job_id: batchId, page_size: 1 })
      const crawl = await mcp.call('crawl', { url: site.url('/cod'), limit: 2 })
      const crawlId = crawl.about['job_id']
      const crawlStatus = await mcp.call('crawl_status', { job_id: crawlId })
      const map = await mcp.call('map', { url: site.url('/') })
      const mapJob = await mcp.call('job', { kind: 'map', job_id: map.about['job_id'] })
      const jobs = await mcp.call('jobs', { kind: 'crawl', page_size: 5 })
      const anyJob = await mcp.call('job', { kind: 'any', job_id: crawlId })
      const allJobs = await mcp.call('jobs', { kind: 'any', page_size: 1 })
      const statistics = await mcp.call('statistics', {})

      assert.match(extracted.output, /^# Cod\n/)
      assert.equal(job.output, extracted.output)
      assert.equal(batch.about['status'], 'completed', JSON.stringify(batch))
      assert.match(JSON.parse(batch.output).results[1].data.markdown, /Another fish/)
      assert.equal(JSON.parse(batchStatus.output).results.length, 1)
      assert.equal(crawl.about['completed_pages'], 2)
      assert.equal(JSON.parse(crawlStatus.output).results.length, 2)
      assert.equal(JSON.parse(map.output).success, true)
      assert.equal(JSON.parse(mapJob.output).status, 'completed')
      assert.equal(JSON.parse(jobs.output).jobs[0].job_id, crawlId)
      assert.equal(JSON.parse(anyJob.output).counts.completed, 2)
      assert.equal(JSON.parse(allJobs.output).jobs[0].kind, 'map')
      assert.ok(JSON.parse(statistics.output).extraction_count >= 1)
      for (const [tool, id] of [
        ['cancel_batch', batchId] as const,
        ['cancel_crawl', crawlId] as const,
      ]) {
        const { isError, about } = await mcp.call(tool, { job_id: id })
        assert.equal(isError, true)
        assert.equal((about['error'] as { code: string }).code, 'CONFLICT')
      }
    })
  }

  await t.test('a large page is taken apart in a content thread', async (t) => {
    const html = `<title>Cod</title>${'<p class="fish">a "cod"</p>\n'.repeat(40_000)}`
    site.page('/large', html)
    const range = { offset: 500_000, max_length: 1000 }
    const { about } = await newest.call('extract', { url: site.url('/large'), formats: ['html'] })
    const { mock: parsing } = t.mock.method(JSON, 'parse')
    const { mock: writing } = t.mock.method(JSON, 'stringify')

    const { output } = await newest.call('job', { job_id: about['job_id'], ...range })

    // Client and service share this event loop.
    const parsed = parsing.calls.map(({ arguments: [text] }) => String(text).length)
    const written = writing.calls.map(({ result }) => result?.length ?? 0)
    assert.equal(output, html.slice(500_000, 501_000))
    assert.ok(Math.max(...parsed, ...written) < 100_000)
  })

  await t.test('bad arguments are an error of the tool that names each of them', async () => {
    const { isError, about } = await newest.call('extract', { url: 'nonsense', timeout: 1 })
    assert.equal(isError, true)
    assert.deepEqual(
      (about['error'] as { faults: { argument: string }[] }).faults.map(({ argument }) => argument),
      ['url', 'timeout'],
    )
    assert.match(String(about['next']), /Correct the arguments/)
    await assert.rejects(newest.call('nonsense'), /no such tool/)
  })

  await t.test('more than a thousand arguments are refused before they are read', async () => {
    const headers = { 'x-api-key': account.apiKey }
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, at]))
    const call = (params: object) =>
      callApi(url, 'POST /mcp', {
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      })

    for (const [params, loc] of [
      [{ name: 'extract', arguments: many }, ['body', 'params', 'arguments']],
      [many, ['body', 'params']],
    ] as const) {
      const refused = await call(params)
      assertFailure(refused, 'VALIDATION_ERROR')
      assert.deepEqual(refused.json().detail[0].loc, loc)
    }
  })

  await t.test(
    'pages of other origins are refused, and GET and DELETE are not served',
    async () => {
      const ask = (headers: Record<string, string>) =>
        callApi(url, 'POST /mcp', { headers, body: listTools })
      const key = { 'x-api-key': account.apiKey }
      const basic = { authorization: basicOf(account.username, account.password) }

      assert.equal((await ask(key)).statusCode, 200)
      assert.equal((await ask(basic)).statusCode, 200)
      assert.equal((await ask({ ...key, origin: url })).statusCode, 200)
      assertFailure(await ask({ ...key, origin: 'http://evil.example' }), 'FORBIDDEN')
      assertFailure(await ask({}), 'UNAUTHORIZED')
      for (const method of ['GET', 'DELETE']) {
        const refused = await callApi(url, `${method} /mcp`, { headers: key })
        assertFailure(refused, 'METHOD_NOT_ALLOWED')
        assert.equal(refused.headers['allow'], 'POST')
      }
    },
  )
})

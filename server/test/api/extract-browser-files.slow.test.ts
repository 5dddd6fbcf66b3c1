/** Files at the end of a browser's visit: they are fetched over HTTP in the same attempt. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { extracted } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const pdf = pdfOf([[[12, 50, 700, 'The tide is at six']]])
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const zip = Buffer.from('504b0304140000000000', 'hex')

/** Each file with its headers and what the result has of it. */
const files: Record<string, { headers: Record<string, string>; body: Buffer | string }> = {
  '/pdf': { headers: { 'content-type': 'application/pdf' }, body: pdf },
  '/attached.pdf': {
    headers: { 'content-type': 'application/pdf', 'content-disposition': 'attachment' },
    body: pdf,
  },
  '/untyped.pdf': { headers: {}, body: pdf },
  '/png': { headers: { 'content-type': 'image/png' }, body: png },
  '/svg': {
    headers: { 'content-type': 'image/svg+xml' },
    body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  },
  '/zip': { headers: { 'content-type': 'application/zip' }, body: zip },
  '/csv': { headers: { 'content-type': 'text/csv' }, body: 'port,time\nBergen,06:12\n' },
  '/json': { headers: { 'content-type': 'application/json' }, body: '{"time":"06:12"}' },
  '/feed': {
    headers: { 'content-type': 'application/rss+xml' },
    body: '<?xml version="1.0"?><rss version="2.0"><channel><title>Tides</title><item><title>High</title><link>http://a.test/</link></item></channel></rss>',
  },
  '/text': { headers: { 'content-type': 'text/plain' }, body: 'High at <06:12>' },
  '/attached.html': {
    headers: { 'content-type': 'text/html', 'content-disposition': 'attachment' },
    body: '<h1>Tides</h1><p>High at six</p>',
  },
}

onBothStores((kind, start) => {
  test(`${kind}: an extraction whose browser comes upon a file`, async (t) => {
    const site = await startPageSite(t)
    for (const [path, { headers, body }] of Object.entries(files)) {
      site.page(path, (_, response) => response.writeHead(200, headers).end(body))
    }
    site.page('/moved', (_, response) => response.writeHead(302, { location: '/pdf' }).end())
    site.page('/failing', (_, response) =>
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":1}'),
    )
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()) },
    })
    const account = await service.createAccount()
    const formats = ['html', 'markdown', 'text', 'links', 'metadata']
    const get = (path: string, more: object = {}) =>
      extracted(account, { url: site.url(path), formats, ...more })
    const withoutUrls = (data: object) =>
      JSON.stringify(data).replace(/"url":"[^"]*\/file\?[^"]*"/, '')

    for (const path of [...Object.keys(files), '/moved']) {
      await t.test(`${path} gives the same as over HTTP, in one attempt`, async () => {
        const plain = await get(path)

        const rendered = await get(path, { render_js: true })

        assert.equal(withoutUrls(rendered.data), withoutUrls(plain.data))
        const { metadata } = rendered
        assert.deepEqual(
          [metadata.render_js, metadata.engine, metadata.engine_reason],
          [true, 'http', 'file'],
        )
        assert.deepEqual(
          [metadata.url, metadata.content_type],
          [plain.metadata.url, plain.metadata.content_type],
        )
        assert.deepEqual([metadata.retry_count, rendered.tokens_charged], [0, 1])
      })
    }

    await t.test('the PDF has its text', async () => {
      const { data } = await get('/pdf', { render_js: true })

      assert.match(data.text ?? '', /The tide is at six/)
      assert.equal(data.html, null)
    })

    await t.test('options that need a browser do not keep it from a file', async () => {
      const { data, metadata } = await get('/pdf', {
        formats: ['text', 'screenshot'],
        wait_config: { wait_for: '#never' },
        configurations: { js_scenario: { actions: [{ action: 'evaluate', value: '1' }] } },
      })

      assert.match(data.text ?? '', /The tide is at six/)
      assert.deepEqual([metadata.engine, metadata.engine_reason], ['http', 'file'])
      assert.equal('screenshot' in data, false)
    })

    await t.test('a failing target that answers in JSON is not taken for a file', async () => {
      const { metadata } = await get('/failing', {
        render_js: true,
        configurations: { retries: { useRetries: false } },
      })

      assert.deepEqual([metadata.http_status, metadata.engine], [500, 'browser'])
    })

    await t.test('`auto` fetches a file of a host that needed a browser over HTTP', async (t) => {
      const host = await startPageSite(t)
      host.page('/', '<body><div id="root"></div><script>root.innerText = "rendered"</script>')
      host.page('/pdf', (_, response) =>
        response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf),
      )
      const auto = (path: string) =>
        extracted(account, { url: host.url(path), render_js: 'auto', formats: ['text'] })
      await auto('/')

      const { data, metadata } = await auto('/pdf')

      assert.match(data.text ?? '', /The tide is at six/)
      assert.deepEqual(
        [metadata.render_js, metadata.engine, metadata.engine_reason],
        [false, 'http', 'file'],
      )
    })
  })
})

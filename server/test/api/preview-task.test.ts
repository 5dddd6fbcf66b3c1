import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { pdfOf } from '../support/pdf-of.ts'
import { unknownIds } from '../support/scrape-calls.ts'
import { imageOf, screenshotOptions, startStubWorker } from '../support/stub-worker.ts'
import { ageTask } from '../support/task-age.ts'
import { startTestService } from '../support/test-service.ts'

const policy =
  "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"

const hostile = `<!doctype html><title>Cod</title><meta http-equiv="refresh" content="0;url=//evil.test">
<script>alert(1)</script><base href="//evil.test"><h1 onclick="alert(1)">Cod</h1>
<p>&lt;script&gt;alert(2)&lt;/script&gt; <a href="javascript:alert(3)">link</a></p>`

test('previews of tasks', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const desk = await startStubWorker(t, service)
  const account = await service.createAccount()
  const preview = (id: string, format?: string) =>
    account.call(`GET /v1/tasks/${id}/preview${format ? `?format=${format}` : ''}`)
  const finish = (body: string | Uint8Array, contentType = 'text/html', more = {}) =>
    desk.finishTask(account, {
      // No delivery, which would hold the result.
      kind: 'realtime',
      page: {
        body: Buffer.from(body),
        headers: { 'content-type': contentType, ...more },
        isText: false,
      },
    })
  const assertSafe = ({ headers }: { headers: Record<string, string> }) => {
    assert.equal(headers['content-security-policy'], policy)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'no-referrer')
  }

  await t.test(
    'the page is shown as it was scraped, under a policy that runs nothing',
    async () => {
      const id = await finish(hostile)

      const answer = await preview(id)

      assert.equal(answer.statusCode, 200)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.text, hostile.replaceAll(/<(?:meta|base)/g, '<bgsound'))
      assertSafe(answer)
      assertSafe(await account.call(`HEAD /v1/tasks/${id}/preview`))
    },
  )

  await t.test('a page cannot make the browser connect to its host', async () => {
    const id = await finish(
      '<LINK rel=preconnect href=//evil.test><link/rel=dns-prefetch href=//a.test>',
    )

    const { text } = await preview(id)

    assert.equal(
      text,
      '<bgsound rel=preconnect href=//evil.test><bgsound/rel=dns-prefetch href=//a.test>',
    )
  })

  await t.test('compressed pages and pages in other charsets are shown in UTF-8', async () => {
    const latin = Buffer.from('<p>caf\xe9</p>', 'latin1')
    const id = await finish(gzipSync(latin), 'text/html; charset=iso-8859-1', {
      'content-encoding': 'gzip',
    })

    assert.equal((await preview(id)).text, '<p>café</p>')
  })

  await t.test('markdown is shown as a page without any markup of the target', async () => {
    const answer = await preview(await finish(hostile), 'markdown')

    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assertSafe(answer)
    assert.match(answer.text, /<h1>Cod<\/h1>/)
    assert.match(answer.text, /&lt;script&gt;alert\(2\)&lt;\/script&gt;/)
    assert.doesNotMatch(answer.text, /<script|onclick|<base|http-equiv|href="javascript/i)
  })

  await t.test('text, which is markdown as it stands, is escaped too', async () => {
    const text = '# Hake\n\n<img src=x onerror=alert(1)>\n\n[x](javascript:alert(1))'
    const answer = await preview(await finish(text, 'text/plain'), 'markdown')

    assert.match(answer.text, /<h1>Hake<\/h1>/)
    assert.doesNotMatch(answer.text, /<img|href=/)
  })

  await t.test('JSON and PDFs are shown as markdown, and have no HTML', async () => {
    const json = await finish('{"fish": "<b>cod</b>"}', 'application/json')
    const pdf = await finish(pdfOf([[[11, 50, 700, 'A paper']]]), 'application/pdf')

    assert.match((await preview(json, 'markdown')).text, /&lt;b&gt;cod&lt;\/b&gt;/)
    assert.match((await preview(pdf, 'markdown')).text, /A paper/)
    assertFailure(await preview(json), 'NOT_FOUND')
    assertFailure(await preview(pdf, 'html'), 'NOT_FOUND')
  })

  await t.test('the screenshot is the image, under the same policy', async () => {
    const screenshot = imageOf('png')
    const configurations = screenshotOptions(screenshot, 'binary')
    const id = await desk.finishTask(account, { configurations, page: { screenshot } })

    const answer = await preview(id, 'screenshot')

    assert.equal(answer.headers['content-type'], 'image/png')
    assert.equal(answer.headers['content-length'], String(screenshot.bytes.byteLength))
    assertSafe(answer)
    assertFailure(await preview(await finish('<p>cod</p>'), 'screenshot'), 'NOT_FOUND')
  })

  await t.test('a task that is open, failed, expired or unknown has no preview', async () => {
    const open = await desk.createOpenTask(account)
    const failed = await desk.finishTask(account, {
      error: { code: 'TARGET_TIMEOUT', message: 'Too slow.' },
    })
    const expired = await finish('<p>cod</p>')
    await ageTask((await service.openBeside()).db, expired, 73)

    assertFailure(await preview(open), 'CONFLICT')
    assertFailure(await preview(failed), 'NOT_FOUND')
    assertFailure(await preview(expired), 'EXPIRED')
    assertFailure(await preview(unknownIds[0] ?? ''), 'NOT_FOUND')
    assert.deepEqual(faultsIn(await preview(open, 'svg')), ['query.format literal_error'])
  })

  await t.test('nobody but its account sees a preview', async () => {
    const id = await finish('<p>cod</p>')
    const stranger = await service.createAccount()

    assertFailure(await stranger.call(`GET /v1/tasks/${id}/preview`), 'NOT_FOUND')
    assertFailure(await callApi(service.url, `GET /v1/tasks/${id}/preview`), 'UNAUTHORIZED')
  })
})

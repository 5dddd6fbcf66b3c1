import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pdfOf } from '../../../test/support/pdf-of.ts'
import { createLog } from '../../runtime/log.ts'
import type { Content, PageToPresent } from '../present.ts'
import { type ContentWorkersOptions, startContentWorkers } from '../workers/content-workers.ts'

const log = createLog({ level: 'silent', isPretty: false })

function start(t: TestContext, options: Partial<ContentWorkersOptions> = {}) {
  const threads = startContentWorkers({ count: 1, log, ...options })
  t.after(() => threads[Symbol.asyncDispose]())
  return { present: (page: PageToPresent) => threads.present(page, { accountId: 'a' }) }
}

const pageOf = (body: Uint8Array, changes: Partial<PageToPresent> = {}): PageToPresent => ({
  body,
  contentEncoding: undefined,
  contentType: 'application/pdf',
  isJson: false,
  minify: undefined,
  form: 'embedded',
  extract: {
    url: 'https://papers.test/a.pdf',
    formats: ['html', 'text'],
    hasLinks: false,
    isMainContentOnly: false,
    rules: undefined,
  },
  mayBePdf: true,
  ...changes,
})

const dataIn = ({ bytes }: Content) =>
  JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>

const small = pdfOf([[[11, 50, 700, 'A small paper']]])

test('a PDF is decompressed and read in a process of its own', async (t) => {
  const page = pageOf(gzipSync(small), { contentEncoding: 'gzip' })

  const content = await start(t).present(page)

  assert.deepEqual(dataIn(content), {
    html: null,
    markdown: null,
    text: 'A small paper\n',
    pdf: { page_count: 1, is_truncated: false },
  })
  assert.equal(content.file, undefined)
})

test('a broken PDF fails with UNSUPPORTED_CONTENT, and the next one is read', async (t) => {
  const threads = start(t)

  const broken = threads.present(pageOf(Buffer.from('%PDF-1.7 nothing')))
  const next = threads.present(pageOf(small))

  await assert.rejects(broken, { code: 'UNSUPPORTED_CONTENT' })
  assert.equal(dataIn(await next)['text'], 'A small paper\n')
})

test('an error page that claims to be a PDF is presented as a page', async (t) => {
  const content = await start(t).present(pageOf(Buffer.from('<html><p>Not found')))

  const { html, text } = dataIn(content)
  assert.deepEqual([html, text], ['<html><p>Not found', 'Not found'])
})

test('a PDF that takes too long fails with CONTENT_TOO_COMPLEX, and pages are not delayed', async (t) => {
  // Starting the process alone takes longer than that.
  const threads = start(t, { pdfMs: 1 })

  const slow = threads.present(pageOf(small))
  const page = threads.present(
    pageOf(Buffer.from('<p>x'), { mayBePdf: false, contentType: 'text/html' }),
  )

  await assert.rejects(slow, { code: 'CONTENT_TOO_COMPLEX' })
  assert.equal(dataIn(await page)['html'], '<p>x')
})

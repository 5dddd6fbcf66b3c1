import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { PageToPresent } from '../../src/formats/present.ts'
import { startContentWorkers } from '../../src/formats/workers/content-workers.ts'
import { createLog } from '../../src/runtime/log.ts'
import { startTestSite } from '../support/test-site.ts'
import { sitePage } from '../support/test-site-routes.ts'
import { openEngine } from './open-engine.ts'

/** What a caller gets to read of a path. */
async function read(t: TestContext, path: string) {
  const site = await startTestSite(t)
  const log = createLog({ level: 'silent', isPretty: false })
  const threads = startContentWorkers({ count: 1, log })
  t.after(() => threads[Symbol.asyncDispose]())
  const { page } = await openEngine(t).fetch(site.url(path))
  const toPresent: PageToPresent = {
    body: page.body,
    contentEncoding: page.headers['content-encoding'],
    contentType: page.headers['content-type'],
    isJson: false,
    minify: { useMinifier: false },
    form: 'plain',
  }
  const content = await threads.present(toPresent, { accountId: 'a' })
  return { ...content, text: Buffer.from(content.bytes).toString('utf8') }
}

const encodings = ['gzip', 'x-gzip', 'br', 'zstd', 'deflate', 'gzip,br', 'deflate,zstd']

for (const path of [...encodings.map((encoding) => `/encoded/${encoding}`), '/raw-deflate', '/']) {
  test(`the page at ${path} is decoded`, async (t) => {
    assert.equal((await read(t, path)).text, sitePage)
  })
}

const charsets = {
  '/charset/shift_jis?in=header': 'shift_jis',
  '/charset/shift_jis?in=meta': 'shift_jis',
  '/charset/euc-jp?in=meta': 'euc-jp',
  '/charset/utf-16le': 'utf-16le',
  '/charset/utf-8': 'utf-8',
}

for (const [path, charset] of Object.entries(charsets)) {
  test(`the page at ${path} is decoded from its charset`, async (t) => {
    const content = await read(t, path)

    assert.match(content.text, /日本$/)
    assert.deepEqual([content.charset, content.hasReplacements], [charset, false])
  })
}

const failures = {
  '/encoded/gzip,gzip,gzip': 'BAD_RESPONSE',
  '/cut-encoded/gzip': 'BAD_RESPONSE',
  '/unknown-encoding': 'BAD_RESPONSE',
  '/bomb/gzip': 'RESPONSE_TOO_LARGE',
  '/bomb/br': 'RESPONSE_TOO_LARGE',
  '/bomb/zstd': 'RESPONSE_TOO_LARGE',
  '/bomb/gzip,gzip': 'RESPONSE_TOO_LARGE',
}

for (const [path, code] of Object.entries(failures)) {
  test(`the page at ${path} fails with ${code}`, async (t) => {
    await assert.rejects(read(t, path), { name: 'Failure', code })
  })
}

test('an empty response with a content-encoding is an empty page', async (t) => {
  assert.equal((await read(t, '/empty/gzip')).text, '')
})

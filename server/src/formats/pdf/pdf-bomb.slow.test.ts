import assert from 'node:assert/strict'
import test from 'node:test'
import { deflateSync } from 'node:zlib'
import { pdfOf } from '../../../test/support/pdf-of.ts'
import { createLog } from '../../runtime/log.ts'
import { startContentWorkers } from '../workers/content-workers.ts'

test('a PDF that unpacks to gigabytes ends its process, not the service, and the next one is read', async (t) => {
  const log = createLog({ level: 'silent', isPretty: false })
  // The process ends by its memory, long before this time.
  const threads = startContentWorkers({ count: 1, log, pdfMs: 600_000 })
  t.after(() => threads[Symbol.asyncDispose]())
  const inner = deflateSync(Buffer.alloc(2 ** 30, ' '))
  const outer = deflateSync(Buffer.concat([inner, Buffer.alloc(2 ** 20)]))
  const bomb = pdfOf([[]], { stream: { bytes: outer, filter: '[/FlateDecode /FlateDecode]' } })
  const present = (body: Uint8Array) =>
    threads.present(
      {
        body,
        contentEncoding: undefined,
        contentType: 'application/pdf',
        isJson: false,
        minify: undefined,
        form: 'embedded',
        extract: {
          url: 'https://papers.test/a.pdf',
          formats: ['text'],
          hasLinks: false,
          isMainContentOnly: false,
          rules: undefined,
        },
        mayBePdf: true,
      },
      { accountId: 'a' },
    )

  await assert.rejects(present(bomb), { code: 'CONTENT_TOO_COMPLEX' })

  assert.ok(bomb.length < 100_000)
  const small = await present(pdfOf([[[11, 50, 700, 'x']]]))
  assert.match(Buffer.from(small.bytes).toString('utf8'), /"text":"x\\n"/)
})

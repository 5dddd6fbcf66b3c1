import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutPage } from '../../domain/task/cut-page.ts'
import { NeedsProcess, present } from '../../formats/present.ts'
import { startContentWorkers } from '../../formats/workers/content-workers.ts'
import { createLog } from '../../runtime/log.ts'
import { createPageCutter } from './page-cutter.ts'

const log = createLog({ level: 'silent', isPretty: false })

test('a page is cut in a content thread, and one of very many values in a process', async (t) => {
  const contents = startContentWorkers({ count: 1, log })
  t.after(() => contents[Symbol.asyncDispose]())
  const cutOutside = createPageCutter(contents)
  const part = { offset: 3, max_length: 1000 }
  const json = (data: object) => Buffer.from(JSON.stringify({ job_id: 'a', data }))
  const inThread = [
    json({ html: `cod 🐟\ud800 "<p>"\n`.repeat(50_000) }),
    json({ html: '<p>cod 🐟</p>', links: ['http://a.example/'] }),
  ]
  const inProcess = json({ json: Array.from({ length: 200_000 }, () => []) })
  const job = { ...noOptions, part }

  for (const body of inThread) {
    assert.deepEqual((await present({ ...job, body })).part, cutPage(body, part))
  }
  await assert.rejects(present({ ...job, body: inProcess }), NeedsProcess)
  for (const body of [...inThread, inProcess]) {
    assert.deepEqual(await cutOutside(body, part, { accountId: 'a' }), cutPage(body, part))
  }
})

const noOptions = {
  contentEncoding: undefined,
  contentType: undefined,
  isJson: true,
  minify: undefined,
  form: 'plain',
} as const

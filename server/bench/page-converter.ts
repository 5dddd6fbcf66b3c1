/** Converts a page to markdown in a loop: in content threads, with the same steps alone, or by turndown. */
import { gunzipSync, gzipSync } from 'node:zlib'
import Turndown from 'turndown'
import type { DataOrder } from '../src/formats/catalogue.ts'
import { toUtf8 } from '../src/formats/decoding/charset.ts'
import { decodeBody } from '../src/formats/decoding/decode-body.ts'
import { parsePage } from '../src/formats/dom/page-document.ts'
import { toMarkdown } from '../src/formats/markdown/to-markdown.ts'
import { startContentWorkers } from '../src/formats/workers/content-workers.ts'
import { createLog } from '../src/runtime/log.ts'
import { makeArticlePage } from './article-page.ts'
import { rateOf } from './burst.ts'

interface Question {
  kind: keyof typeof converters
  bytes: number
  warmUpMs: number
  ms: number
}

const url = 'https://harbour.example/tides'
const contentType = 'text/html; charset=utf-8'
const log = createLog({ level: 'silent', isPretty: false })
const threads = startContentWorkers({ count: 1, log })
const bodies = new Map<number, Buffer>()

async function convertInThreads(body: Buffer): Promise<void> {
  const extract: DataOrder = {
    url,
    formats: ['markdown'],
    hasLinks: false,
    isMainContentOnly: false,
    rules: undefined,
  }
  const job = { body, contentEncoding: 'gzip', contentType, isJson: false, minify: undefined }
  await threads.present({ ...job, form: 'embedded', extract }, { accountId: 'bench' })
}

async function convertAlone(body: Buffer): Promise<void> {
  // One turn of the event loop a page, so that the end of a burst is noticed.
  await new Promise(setImmediate)
  const { bytes } = toUtf8(decodeBody(body, 'gzip'), contentType)
  const { document, baseUrl } = parsePage(Buffer.from(bytes).toString('utf8'), url)
  if (!document.body) throw new Error('A parsed page has a body.')
  JSON.stringify(toMarkdown(document.body, baseUrl))
}

const turndown = new Turndown()

async function convertByTurndown(body: Buffer): Promise<void> {
  await new Promise(setImmediate)
  JSON.stringify(turndown.turndown(gunzipSync(body).toString('utf8')))
}

const converters = {
  threads: convertInThreads,
  alone: convertAlone,
  turndown: convertByTurndown,
}

process.on('message', async ({ kind, bytes, ...burst }: Question) => {
  const body = bodies.get(bytes) ?? gzipSync(makeArticlePage(bytes))
  bodies.set(bytes, body)
  const perSecond = await rateOf({ ...burst, together: 1 }, () => converters[kind](body))
  process.send?.({ perSecond })
})

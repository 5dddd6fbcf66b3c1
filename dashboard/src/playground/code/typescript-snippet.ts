import { printableJson } from '../../../../cli/src/curl/printable-json.ts'
import type { PlaygroundOperation, PlaygroundRequest } from '../playground-request.ts'
import { codeLiteral, type LiteralSyntax, travellingBody } from './code-literal.ts'

/** A program that makes the call by the SDK. */
export function typescriptSnippet(request: PlaygroundRequest, serverUrl: string): string {
  const { processing_mode, ...page } = travellingBody(request)
  const isExtract = request.operation === 'extract'
  const call =
    isExtract && processing_mode === 'async' ? startScrapeCall : callByOperation[request.operation]
  // `scrape` and `startScrape` set the mode themselves.
  const body = isExtract ? page : travellingBody(request)
  return [
    "import { Trawl } from '@trawl/sdk'",
    '',
    'const trawl = new Trawl({',
    `  baseUrl: ${text(serverUrl)},`,
    "  apiKey: process.env['TRAWL_API_KEY'],",
    '})',
    `const ${call.result} = await trawl.${call.method}(${codeLiteral(body, syntax)})`,
    `console.log(${call.shown})`,
  ].join('\n')
}

interface SdkCall {
  result: string
  method: string
  shown: string
}

const startScrapeCall: SdkCall = { result: 'job', method: 'startScrape', shown: 'job.job_id' }

const callByOperation: Record<PlaygroundOperation, SdkCall> = {
  extract: { result: 'page', method: 'scrape', shown: 'page.data' },
  callback: { result: 'task', method: 'scraper.submit', shown: 'task.requestId' },
  realtime: { result: 'response', method: 'scraper.realtime', shown: 'await response.text()' },
  batch: { result: 'job', method: 'startBatch', shown: 'job.job_id' },
  crawl: { result: 'job', method: 'startCrawl', shown: 'job.job_id' },
  map: { result: 'site', method: 'map', shown: 'site.links' },
}

/** The escapes of JSON are those of JavaScript, which needs them for the other quote. */
const text = (value: string): string => {
  const escaped = printableJson(value).slice(1, -1)
  return `'${escaped.replace(/\\.|'/g, (part) => otherQuote[part] ?? part)}'`
}

const otherQuote: Record<string, string> = { '\\"': '"', "'": "\\'" }

/** A plain `__proto__` in a literal would set the prototype, and no property. */
const key = (name: string): string => {
  if (name === '__proto__') return "['__proto__']"
  return /^[A-Za-z_]\w*$/.test(name) ? name : text(name)
}

const syntax: LiteralSyntax = {
  text,
  key,
  words: { true: 'true', false: 'false', null: 'null' },
  brace: ' ',
  indent: '  ',
}

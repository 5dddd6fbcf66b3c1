import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import type { Extraction, PlainCall } from '@trawl/sdk'
import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type CallFlags,
  printCurl,
  requestService,
  withPrintCurlOption,
} from '../client/on-service.ts'
import { withServiceOptions } from '../client/service-options.ts'
import { say } from '../output/messages.ts'
import { indentJson } from '../output/print.ts'
import { withProgress } from '../output/progress.ts'
import { printable } from '../output/terminal-text.ts'
import { writeOutput } from '../output/write-output.ts'
import { readObject, wholeNumber } from './arguments.ts'
import { type PageFormat, pageFields, pageFormats, readOptions } from './page-options.ts'

interface ScrapeFlags extends CallFlags {
  render?: true
  format?: PageFormat
  rules?: Record<string, unknown>
  options?: Record<string, unknown>
  timeout?: number
}

/** `trawl scrape` prints HTML without `--format`. */
const scrapeFormats = pageFormats.filter((format) => format !== 'html')

// All attempts and pauses of a task take 15 minutes at most.
const responseMsMax = 16 * 60_000

export function addScrapeCommand(program: Command): void {
  withPageOptions(program.command('scrape <url>'))
    .description('fetch a page through the service and print it; "trawl URL" is the same')
    .option('--json', 'the whole result as one JSON document instead of the page')
    .addOption(
      new Option(
        '--format <format>',
        'the content of the page instead of its HTML; json: all of it with metadata',
      )
        .choices(scrapeFormats)
        .conflicts('json'),
    )
    .option(
      '--timeout <seconds>',
      'how long an attempt may take; with --format or --rules, all of them',
      wholeNumber(1, 300),
    )
    .addHelpText('after', exitCodesHelp)
    .action((url: string, flags: ScrapeFlags) =>
      flags.format === undefined && flags.rules === undefined
        ? fetchPage(url, flags, { path: scrapePath, body: scrapeBody(url, flags) })
        : extract(url, flags),
    )
}

/** The same as `trawl scrape --format markdown`, for those who look for the name of the endpoint. */
export function addExtractCommand(program: Command): void {
  withPageOptions(program.command('extract <url>'))
    .description('fetch a page and print its content, or the fields that --rules name')
    .option('--json', 'the whole answer as one JSON document')
    .addOption(
      new Option('--format <format>', 'what the page becomes (default: markdown)').choices(
        pageFormats,
      ),
    )
    .option('--timeout <seconds>', 'how long all attempts may take', wholeNumber(1, 300))
    .addHelpText('after', exitCodesHelp)
    .action(extract)
}

const exitCodesHelp = `
Exit codes: 0 ok, 1 the page could not be fetched, 2 bad usage, 3 not authorised, 5 limited (429),
6 no service answers, 7 timed out, 130 Ctrl-C, 143 terminated.`

const rulesExample = '{"title":"h1"}'

const withPageOptions = (command: Command): Command =>
  withPrintCurlOption(withServiceOptions(command))
    .option('--render', "run the page's JavaScript in a browser")
    .option(
      '--rules <json>',
      `fields by CSS or XPath: ${rulesExample}, or @FILE with them`,
      readRules,
    )
    .option('--options <json>', 'more options, as in `configurations`', readOptions)
    .option('-o, --output <file>', 'write to a file instead of stdout')

function readRules(text: string): Record<string, unknown> {
  if (!text.startsWith('@')) return readObject(text, rulesExample)
  const file = text.slice(1)
  try {
    return readObject(readFileSync(file, 'utf8'), rulesExample)
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error
    throw new InvalidArgumentError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

const scrapePath = '/api/scraper/scrape/realtime'

type PrintedPart = PageFormat | 'extracted'

async function extract(url: string, flags: ScrapeFlags): Promise<void> {
  const { rules, format = rules ? undefined : 'markdown' } = flags
  const printed = flags.json ? 'json' : (format ?? 'extracted')
  const body = {
    url,
    // Rules need no format beside them, but an extraction needs one.
    ...(format
      ? pageFields(format, flags)
      : { ...pageFields('json', flags), formats: ['metadata'] }),
    ...(rules && { extract_rules: rules }),
  }
  await fetchPage(url, flags, { path: '/v1/extract', body, printed })
}

/** Makes the call, prints the page and says how it went. */
async function fetchPage(
  url: string,
  flags: ScrapeFlags,
  { path, body, printed }: { path: string; body: object; printed?: PrintedPart },
): Promise<void> {
  const request: PlainCall = { method: 'POST', path, body }
  if (flags.printCurl) return await printCurl(request, flags)
  const startedAtMs = performance.now()
  const response = await withProgress(`Scraping ${printable(url)}`, () =>
    requestService(request, flags, { timeoutMs: responseMsMax }),
  )

  const page = printed
    ? readExtraction(await response.text(), printed)
    : { body: bodyOf(response), outcome: outcomeOf(response) }
  await writeOutput(page.body, flags.output)
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  say(`${page.outcome} in ${seconds} s${flags.output ? `, ${flags.output}` : ''}`)
}

function readExtraction(response: string, part: PrintedPart): { body: Readable; outcome: string } {
  const { data, metadata }: Extraction = JSON.parse(response)
  const printed = part === 'json' ? indentJson(response) : data[part]
  const text = part === 'extracted' ? JSON.stringify(printed, null, 2) : textOf(printed)
  const outcome = `${metadata.http_status} by the engine ${metadata.engine}`
  return {
    body: Readable.from([Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`)]),
    outcome: printable(text === '' ? `${outcome}, ${whyEmpty(data.file, part)},` : outcome),
  }
}

const textOf = (printed: unknown): string =>
  Array.isArray(printed) ? printed.join('\n') : String(printed ?? '')

/** Without this, an image or an empty page would print nothing and seem to be a bug. */
const whyEmpty = (file: Extraction['data']['file'], part: PrintedPart): string =>
  file
    ? `a file of type ${file.content_type} with ${file.bytes} bytes, to be opened at ${file.url}`
    : `without ${part === 'links' ? 'links' : 'text'}`

const bodyOf = ({ body }: Response): Readable => (body ? Readable.fromWeb(body) : Readable.from([]))

/** The request body; a flag overrides the same option in `--options`. */
const scrapeBody = (url: string, { options, render, json, timeout }: ScrapeFlags) => ({
  url,
  configurations: {
    ...options,
    ...(render && { js_render: true }),
    ...(json && { response_format: 'json' }),
  },
  ...(timeout !== undefined && { timeout_ms: timeout * 1000 }),
})

function outcomeOf({ headers }: Response): string {
  const [status, engine, attempts] = ['x-target-status', 'x-engine', 'x-attempts'].map((name) =>
    headers.get(name),
  )
  const tries = attempts && attempts !== '1' ? `, ${attempts} attempts` : ''
  return printable(`${status ?? 'done'}${engine ? ` by the engine ${engine}` : ''}${tries}`)
}

import { Readable } from 'node:stream'
import { type Command, Option } from 'commander'
import { printable } from '../runtime/printable-text.ts'
import { callService } from './call-service.ts'
import { indentJson } from './indent-json.ts'
import { readLocalCredentials, withDataDirOption } from './local-credentials.ts'
import { pageFields, readOptions } from './page-options.ts'
import { withProgress } from './progress.ts'
import { localServer, withServerOption } from './server-option.ts'
import { wholeNumber } from './whole-number.ts'
import { writeOutput } from './write-output.ts'

interface ScrapeFlags {
  server?: string
  apiKey?: string
  render?: true
  json?: true
  format?: PrintedFormat
  output?: string
  options?: Record<string, unknown>
  timeout?: number
  dataDir?: string
}

const printedFormats = ['markdown', 'text', 'links', 'json'] as const
type PrintedFormat = (typeof printedFormats)[number]

// All attempts and pauses of a task take 15 minutes at most.
const responseMsMax = 16 * 60_000

export function addScrapeCommand(program: Command): void {
  withServerOption(withDataDirOption(program.command('scrape <url>')))
    .description('fetch a page through the service and print it; "trawl URL" is the same')
    .option('--api-key <key>', "TRAWL_API_KEY or the local service's own by default")
    .option('--render', "run the page's JavaScript in a browser")
    .option('--json', 'the whole result as one JSON document instead of the page')
    .addOption(
      new Option(
        '--format <format>',
        'the content of the page instead of its HTML; json: all of it with metadata',
      )
        .choices(printedFormats)
        .conflicts('json'),
    )
    .option('-o, --output <file>', 'write to a file instead of stdout')
    .option('--options <json>', 'more options, as in `configurations`', readOptions)
    .option(
      '--timeout <seconds>',
      'how long an attempt may take; with --format, all of them',
      wholeNumber(1, 300),
    )
    .action(scrape)
}

async function scrape(url: string, flags: ScrapeFlags): Promise<void> {
  const { config, apiKey } = readLocalCredentials(flags)
  const { format } = flags
  const startedAtMs = performance.now()
  const response = await withProgress(`Scraping ${printable(url)}`, () =>
    callService({
      method: 'POST',
      url: new URL(
        format ? '/v1/extract' : '/api/scraper/scrape/realtime',
        flags.server ?? localServer(config),
      ),
      apiKey: flags.apiKey ?? apiKey,
      body: format ? { url, ...pageFields(format, flags) } : scrapeBody(url, flags),
      timeoutMs: responseMsMax,
    }),
  )

  const { body, outcome } = format
    ? readExtraction(await response.text(), format)
    : { body: bodyOf(response), outcome: outcomeOf(response) }
  await writeOutput(body, flags.output)
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  console.error(`${outcome} in ${seconds} s${flags.output ? `, ${flags.output}` : ''}`)
}

/** What is printed of the response to an extraction. */
function readExtraction(
  response: string,
  format: PrintedFormat,
): { body: Readable; outcome: string } {
  const { data, metadata } = JSON.parse(response) as {
    data: Record<string, unknown> & { file?: { url: string; bytes: number; content_type: string } }
    metadata: { http_status?: unknown; engine?: unknown }
  }
  const printed = format === 'json' ? indentJson(response) : data[format]
  const text = Array.isArray(printed) ? printed.join('\n') : String(printed ?? '')
  const outcome = `${metadata.http_status} by the engine ${metadata.engine}`
  return {
    body: Readable.from([Buffer.from(text === '' || text.endsWith('\n') ? text : `${text}\n`)]),
    outcome: printable(text === '' ? `${outcome}, ${whyEmpty(data.file, format)},` : outcome),
  }
}

/** Without this, an image or an empty page would print nothing and seem to be a bug. */
const whyEmpty = (
  file: { url: string; bytes: number; content_type: string } | undefined,
  format: PrintedFormat,
): string =>
  file
    ? `a file of type ${file.content_type} with ${file.bytes} bytes, to be opened at ${file.url}`
    : `without ${format === 'links' ? 'links' : 'text'}`

const bodyOf = ({ body }: Response): Readable => (body ? Readable.fromWeb(body) : Readable.from([]))

/** The request body; a flag overrides the same option in `--options`. */
const scrapeBody = (
  url: string,
  { options, render, json, timeout }: Pick<ScrapeFlags, 'options' | 'render' | 'json' | 'timeout'>,
) => ({
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

import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { Failure } from '../domain/failure.ts'
import { printable, printableLines } from '../runtime/printable-text.ts'
import { readLocalCredentials, withDataDirOption } from './local-credentials.ts'
import { postToService } from './post-to-service.ts'
import { startProgress } from './progress.ts'
import { localServer, withServerOption } from './server-option.ts'
import { wholeNumber } from './whole-number.ts'

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
    postToService({
      url: new URL(
        format ? '/v1/extract' : '/api/scraper/scrape/realtime',
        flags.server ?? localServer(config),
      ),
      apiKey: flags.apiKey ?? apiKey,
      body: format ? extractBody(url, format, flags) : scrapeBody(url, flags),
    }),
  )

  const { body, outcome } = format
    ? readExtraction(await response.text(), format)
    : { body: bodyOf(response), outcome: outcomeOf(response) }
  await write(body, flags.output)
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1)
  console.error(`${outcome} in ${seconds} s${flags.output ? `, ${flags.output}` : ''}`)
}

const extractBody = (
  url: string,
  format: PrintedFormat,
  { options, render, timeout }: ScrapeFlags,
) => ({
  url,
  formats: format === 'json' ? ['markdown', 'links', 'metadata'] : [format],
  only_main_content: format === 'markdown' || format === 'text',
  ...(render && { render_js: true }),
  ...(options && { configurations: options }),
  ...(timeout !== undefined && { timeout: timeout * 1000 }),
})

/** What is printed of the response to an extraction. */
function readExtraction(
  response: string,
  format: PrintedFormat,
): { body: Readable; outcome: string } {
  const { data, metadata } = JSON.parse(response) as {
    data: Record<string, unknown> & { file?: { url: string; bytes: number; content_type: string } }
    metadata: { http_status?: unknown; engine?: unknown }
  }
  const printed = format === 'json' ? indented(response) : data[format]
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

// TypeScript does not know it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(source: string): unknown }

/** Numbers keep their digits, of which JavaScript would lose some. */
const indented = (json: string): string =>
  JSON.stringify(
    JSON.parse(json, (_name, value: unknown, { source }: { source?: string } = {}) =>
      typeof value === 'number' && source !== undefined ? rawJson(source) : value,
    ),
    null,
    2,
  )

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

async function withProgress<Value>(what: string, act: () => Promise<Value>): Promise<Value> {
  using _shown = startProgress(what)
  return await act()
}

function outcomeOf({ headers }: Response): string {
  const [status, engine, attempts] = ['x-target-status', 'x-engine', 'x-attempts'].map((name) =>
    headers.get(name),
  )
  const tries = attempts && attempts !== '1' ? `, ${attempts} attempts` : ''
  return printable(`${status ?? 'done'}${engine ? ` by the engine ${engine}` : ''}${tries}`)
}

async function write(body: Readable, output: string | undefined): Promise<void> {
  if (output !== undefined) return await writeFile(body, output)
  const { stdout } = process
  try {
    if (stdout.isTTY) await pipeline(body, asPrintable, stdout, { end: false })
    else await pipeline(body, stdout, { end: false })
  } catch (error) {
    // The reader of a pipe, such as `head`, may close it early.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

async function writeFile(body: Readable, output: string): Promise<void> {
  try {
    await pipeline(body, createWriteStream(output))
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new Failure('VALIDATION_ERROR', `Cannot write to ${output}: ${code ?? message}`)
  }
}

/** Escapes control characters, with which a page could take over the terminal. */
async function* asPrintable(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of body) yield printableLines(decoder.decode(chunk, { stream: true }))
  yield `${printableLines(decoder.decode())}\n`
}

function readOptions(text: string): Record<string, unknown> {
  try {
    const options: unknown = JSON.parse(text)
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
      return options as Record<string, unknown>
    }
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"country_code":"de"}.')
}

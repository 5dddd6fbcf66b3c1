import { redactUrl } from '../../domain/redact-url.ts'
import { settledMode } from '../../domain/scrape/extract-options.ts'
import { defaultScrapeOptions, type ScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import type { ExtractOrder, MapOrder, ScrapeRequest } from '../../domain/scrape/scrape-request.ts'
import type { Task } from '../../domain/task/task.ts'

export const repeatablePaths = [
  '/v1/extract',
  '/v1/map',
  '/api/scraper/scrape/callback',
  '/api/scraper/scrape/realtime',
] as const

/** A call that does what a task did, without what may be a secret. */
export interface RepeatableRequest {
  path: (typeof repeatablePaths)[number]
  body: Record<string, unknown>
  /** The fields of the body that are not shown. */
  left_out: string[]
}

type Fields = Record<string, unknown>
type RepeatedTask = Pick<
  Task,
  'request' | 'callbackUrl' | 'callsBackOnFailure' | 'metadata' | 'isUnreadable'
>

/** Undefined where the stored request cannot be read. A page of a batch or crawl is asked for by itself. */
export function toRepeatableRequest(task: RepeatedTask): RepeatableRequest | undefined {
  const { request, isUnreadable } = task
  const { purpose } = request
  if (isUnreadable) return undefined
  if (purpose.kind === 'map') return { path: '/v1/map', ...mapFields(purpose.map) }
  const isExtraction = 'extract' in purpose
  const given = isExtraction ? extractFields(request, purpose.extract) : scrapeFields(task)
  const { shown, hidden } = withoutSecrets(given.configurations)
  return {
    path: isExtraction ? '/v1/extract' : `/api/scraper/scrape/${purpose.kind}`,
    body: {
      url: redactUrl(request.url),
      ...given.body,
      ...(Object.keys(shown).length > 0 && { configurations: shown }),
    },
    left_out: [...leftOutOfUrl(request.url), ...given.hidden, ...hidden],
  }
}

interface GivenFields {
  body: Fields
  configurations: Fields
  hidden: string[]
}

function mapFields(order: MapOrder): Omit<RepeatableRequest, 'path'> {
  return {
    body: {
      url: redactUrl(order.url),
      ...(order.search !== null && { search: order.search }),
      ...(order.includesSubdomains && { include_subdomains: true }),
      ...(!order.ignoresQueries && { ignore_query_parameters: false }),
    },
    left_out: leftOutOfUrl(order.url),
  }
}

const timeoutMsByDefault = 60_000

function scrapeFields({ request, callbackUrl, callsBackOnFailure, metadata }: RepeatedTask) {
  return {
    body: {
      ...(callbackUrl !== null && { callbackUrl: redactUrl(callbackUrl) }),
      ...(!callsBackOnFailure && callbackUrl !== null && { callback_on_failure: false }),
      ...(metadata !== null && { metadata }),
      ...(request.timeoutMs !== timeoutMsByDefault && { timeout_ms: request.timeoutMs }),
    },
    configurations: changesOf(request.options, defaultScrapeOptions),
    hidden: [
      ...(callbackUrl === null ? [] : leftOutOfUrl(callbackUrl, 'callbackUrl')),
      ...(Object.keys(request.forwardedHeaders).length > 0 ? ['forwarded headers'] : []),
    ],
  } satisfies GivenFields
}

function extractFields(request: ScrapeRequest, extract: ExtractOrder): GivenFields {
  const { target, session, timeoutMs } = request
  const { formats, renderJs, proxy, headers, waitConfig, rules } = extract
  return {
    body: {
      formats,
      ...(renderJs !== false && { render_js: renderJs }),
      ...(proxy && { proxy }),
      ...(waitConfig && { wait_config: waitConfig }),
      ...(timeoutMs !== timeoutMsByDefault && { timeout: timeoutMs }),
      ...(session !== undefined && { session }),
      ...(extract.isMainContentOnly && { only_main_content: true }),
      ...(extract.hasLinks && !formats.includes('links') && { extract_links: true }),
      ...(rules && { extract_rules: rules }),
      ...(target && target.method !== 'GET' && { method: target.method }),
    },
    configurations: extractConfigurations(request, extract),
    hidden: [...(headers ? ['headers'] : []), ...(target?.body === undefined ? [] : ['body'])],
  }
}

/** Without the options that a field beside them has set. */
function extractConfigurations(
  { options, wait }: ScrapeRequest,
  { formats, proxy, waitConfig }: ExtractOrder,
): Fields {
  const { js_render, mode, ...changes } = changesOf(options, defaultScrapeOptions)
  if (proxy) {
    delete changes['proxy']
    delete changes['country_code']
  }
  if (formats.includes('screenshot')) delete (changes['screenshot'] as Fields | undefined)?.['use']
  if (!options.block_resources && options.screenshot.use) delete changes['block_resources']
  if (!waitConfig && wait && wait.mode !== settledMode) changes['mode'] = wait.mode
  return withoutEmpty(changes)
}

/** What differs from the defaults, in depth. */
function changesOf(given: object, defaults: object | undefined): Fields {
  const changes: Fields = {}
  for (const [name, value] of Object.entries(given)) {
    const byDefault = (defaults as Fields | undefined)?.[name]
    if (value === undefined || isSame(value, byDefault)) continue
    changes[name] = isFields(value) ? changesOf(value, isFields(byDefault) ? byDefault : {}) : value
  }
  return changes
}

/** Options survive JSON, and parsing gives their fields one order. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isFields(value) || Object.keys(value).length > 0),
  )

/** Options whose values may be credentials: a scenario types passwords. */
const secretOptions: readonly (keyof ScrapeOptions)[] = ['cookies', 'localStorage', 'js_scenario']

function withoutSecrets(configurations: Fields): { shown: Fields; hidden: string[] } {
  const shown = { ...configurations }
  const hidden = secretOptions.filter((name) => name in shown)
  for (const name of hidden) delete shown[name]
  return { shown, hidden: hidden.map((name) => `configurations.${name}`) }
}

const leftOutOfUrl = (url: string, field = 'url'): string[] =>
  redactUrl(url) === url ? [] : [`user and password of ${field}`]

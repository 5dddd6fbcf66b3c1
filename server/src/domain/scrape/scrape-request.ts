import { z } from 'zod'
import type { ProxyRequirements } from '../proxy/choose-proxy.ts'
import type { ExtractOptions, FormatName, ProxyType, TargetMethod } from './extract-options.ts'
import type { ProcessingMode } from './extract-request.ts'
import type { ExtractRules } from './extract-rules.ts'
import { checkSizeFirst, httpUrl, isJsonWithin, tooLong, withoutUnset } from './option-kinds.ts'
import { ScrapeOptions } from './scrape-options.ts'
import type { WaitPlan } from './wait-plan.ts'

const urlCharactersMax = 8192
const metadataBytesMax = 4096

const realtimeFields = {
  url: httpUrl(urlCharactersMax).describe('The page: absolute, http or https.'),
  configurations: ScrapeOptions,
  metadata: checkSizeFirst(
    z.record(z.string(), z.unknown()),
    (metadata) => isJsonWithin(metadata, metadataBytesMax),
    tooLong(`Dictionary should have at most ${metadataBytesMax} bytes as JSON`),
  )
    .optional()
    .describe('Comes back in status and callback as it is, 4 KiB of JSON at most.'),
  timeout_ms: z
    .int()
    .min(1000)
    .max(300_000)
    .default(60_000)
    .describe('How long each attempt may take.'),
}

/** The body of a scrape whose caller waits for the result. Unknown fields are ignored. */
export const RealtimeScrape = withoutUnset(z.object(realtimeFields)).meta({ id: 'RealtimeScrape' })

/** The body of a scrape whose result is posted to a URL. Unknown fields are ignored. */
export const CallbackScrape = withoutUnset(
  z.object({
    ...realtimeFields,
    callbackUrl: httpUrl(urlCharactersMax).describe(
      'Where the result is posted to: absolute, http or https.',
    ),
    callback_on_failure: z
      .boolean()
      .default(true)
      .describe('Whether the callback is also sent when the task failed.'),
  }),
).meta({ id: 'CallbackScrape' })

/** A page to fetch, and what for. It is stored with the task, so it must survive JSON. */
export interface ScrapeRequest extends EngineRequest {
  purpose: TaskPurpose
}

/** How an engine fetches a page. */
export interface EngineRequest {
  url: string
  options: ScrapeOptions
  /** The time limit of each attempt. */
  timeoutMs: number
  /** The caller's own headers that the target may get. */
  forwardedHeaders: Record<string, string>
  /** The task whose request this repeats. */
  retryOf?: string | undefined
  /** Set by a process that has proxies: a process without any must not run the task. */
  isProxied?: true
  /** Narrower than the options: only proxies of this type. */
  proxyType?: ProxyType | undefined
  /** What a browser waits for, if not as the options say. */
  wait?: WaitPlan | undefined
  /** What is sent to the target, if not a plain GET. */
  target?: TargetRequest | undefined
  /** The name of the account's session, which lends the request its cookies and its proxy. */
  session?: string | undefined
}

/** What becomes of a page, and how its caller gets that. */
export type TaskPurpose =
  /** A scrape, whose result is posted to a URL. */
  | { kind: 'callback' }
  /** A scrape whose caller waits for the result. */
  | { kind: 'realtime' }
  | Extraction
  /** An extraction of a page of a crawl, whose links are read too. */
  | { kind: 'crawl'; extract: ExtractOrder; crawl: CrawlOrigin }
  /** The URLs of a site are listed instead of fetching the page. */
  | { kind: 'map'; map: MapOrder }

/** An extraction (`/v1`) of a single page, or of a page of a batch. */
export interface Extraction {
  kind: 'extract'
  extract: ExtractOrder
}

/** Where a crawl found a page. */
export interface CrawlOrigin {
  /** 1 for the seed page. */
  depth: number
  parentUrl: string | null
}

export interface MapOrder {
  url: string
  search: string | null
  includesSubdomains: boolean
  ignoresQueries: boolean
}

export interface TargetRequest {
  method: TargetMethod
  /** Names in lower case. */
  headers: Record<string, string>
  body?: string | undefined
}

export interface ExtractOrder {
  /** The task whose result answers this request too; nothing is fetched. */
  cachedFrom?: string
  processingMode: ProcessingMode
  renderJs: boolean | 'auto'
  formats: FormatName[]
  isMainContentOnly: boolean
  hasLinks: boolean
  rules?: ExtractRules | undefined
  /** As the caller gave them; the metadata of the job shows them. */
  proxy: NonNullable<ExtractOptions['proxy']> | null
  headers: Record<string, string> | null
  waitConfig: NonNullable<ExtractOptions['wait_config']> | null
}

/** An extraction that asks for nothing. */
export const plainOrder: ExtractOrder = {
  processingMode: 'sync',
  renderJs: false,
  formats: [],
  isMainContentOnly: false,
  hasLinks: false,
  proxy: null,
  headers: null,
  waitConfig: null,
}

/** What an extraction makes of the page; undefined for a scrape. The list of a map is extracted as it is. */
export function extractOrderOf({
  purpose,
}: Pick<ScrapeRequest, 'purpose'>): ExtractOrder | undefined {
  if (purpose.kind === 'map') return plainOrder
  return 'extract' in purpose ? purpose.extract : undefined
}

/** The requirements for the proxy; without any the task takes any proxy, or none if none is listed. */
export const proxyRequirementsOf = ({
  options: { country_code, proxy },
  proxyType,
}: Pick<EngineRequest, 'options' | 'proxyType'>): ProxyRequirements => ({
  country: country_code ?? null,
  type: proxyType === 'datacenter' ? proxyType : proxy.useOnlyResidential ? 'residential' : null,
})

/** How the caller sets the time limit, for messages. The options, where it is looked for, refuse it. */
export const timeoutAdvice = ({ purpose }: { purpose?: TaskPurpose | undefined }): string =>
  `raise ${purpose && 'extract' in purpose ? 'timeout' : 'timeout_ms'}, beside configurations, to wait longer`

/** The time limit of all attempts together: that of the extraction, else the same for every scrape. */
export const totalMsMax = (request: ScrapeRequest): number =>
  extractOrderOf(request) ? request.timeoutMs : scrapeMsMax

/** No pause between two attempts is longer either, as it counts. */
export const scrapeMsMax = 15 * 60_000

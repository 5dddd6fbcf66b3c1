import { z } from 'zod'
import type { ProxyRequirements } from '../proxy/choose-proxy.ts'
import type { TaskLane } from '../task/lane.ts'
import { checkSizeFirst, httpUrl, isJsonWithin, tooLong, withoutUnset } from './option-kinds.ts'
import { ScrapeOptions } from './scrape-options.ts'

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

/** What an engine has to fetch. It is stored with the task, so it must survive JSON. */
export interface ScrapeRequest {
  url: string
  options: ScrapeOptions
  /** The time limit of each attempt. */
  timeoutMs: number
  /** The caller's own headers that the target may get. */
  forwardedHeaders: Record<string, string>
  /** Set by a process that has proxies: a process without any must not run the task. */
  isProxied?: true
}

/** Whether each of the options that only the browser engine supports is used. */
const browserOptions = {
  screenshot: (options) => options.screenshot.use,
  js_render: (options) => options.js_render,
  waitForSelector: (options) => options.waitForSelector !== undefined,
  js_scenario: (options) => options.js_scenario.actions.length > 0,
  localStorage: (options) => Object.keys(options.localStorage).length > 0,
  collect_data_from_requests: (options) => options.collect_data_from_requests,
  viewport: (options) => options.viewport !== undefined,
} satisfies { [Name in keyof ScrapeOptions]?: (options: ScrapeOptions) => boolean }
const browserOptionEntries = Object.entries(browserOptions)

/** The names of the options that need a browser. */
export const optionsNeedingBrowser = (options: ScrapeOptions): string[] =>
  browserOptionEntries.filter(([, isUsed]) => isUsed(options)).map(([name]) => name)

export const engineFor = (options: ScrapeOptions): TaskLane =>
  browserOptionEntries.some(([, isUsed]) => isUsed(options)) ? 'browser' : 'http'

/** The requirements for the proxy; without any the task takes any proxy, or none if none is listed. */
export const proxyRequirementsOf = ({ country_code, proxy }: ScrapeOptions): ProxyRequirements => ({
  country: country_code ?? null,
  isResidentialOnly: proxy.useOnlyResidential,
})

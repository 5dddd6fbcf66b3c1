import { targetHeaders } from '../forwarded-headers.ts'
import { engineFor } from './choose-engine.ts'
import { type ExtractOptions, settledMode } from './extract-options.ts'
import type { ProcessingMode } from './extract-request.ts'
import { defaultScrapeOptions, type ScrapeOptions } from './scrape-options.ts'
import type { EngineRequest, Extraction, ExtractOrder } from './scrape-request.ts'
import { planWait, type WaitPlan } from './wait-plan.ts'

/** Turns the options of an extraction into the request that the engines carry out. */
export function planExtraction(
  url: string,
  given: ExtractOptions,
  processingMode: ProcessingMode,
): EngineRequest & { purpose: Extraction } {
  const { method, body, proxy, headers = {} } = given
  const options = toScrapeOptions(given)
  return {
    url,
    options,
    timeoutMs: given.timeout,
    forwardedHeaders: {},
    ...(proxy && { proxyType: proxy.type }),
    ...((method !== 'GET' || Object.keys(headers).length > 0) && {
      target: {
        method,
        headers: { ...(body && { 'content-type': body.type }), ...targetHeaders(headers) },
        body: body?.text,
      },
    }),
    wait: toWaitPlan(given, options),
    ...(given.session !== undefined && { session: given.session }),
    purpose: { kind: 'extract', extract: toOrder(given, processingMode) },
  }
}

const toOrder = (given: ExtractOptions, processingMode: ProcessingMode): ExtractOrder => ({
  processingMode,
  renderJs: given.render_js ?? given.configurations.js_render,
  formats: given.formats,
  isMainContentOnly: given.only_main_content,
  hasLinks: given.extract_links || given.formats.includes('links'),
  rules: given.extract_rules,
  proxy: given.proxy ?? null,
  headers: given.headers ?? null,
  waitConfig: given.wait_config ?? null,
})

function toScrapeOptions(given: ExtractOptions): ScrapeOptions {
  const { configurations, proxy, headers, wait_config } = given
  const cookies = cookiesIn(headers)
  const changes: Partial<ScrapeOptions> = {
    ...(proxy && {
      country_code: proxy.country ?? undefined,
      proxy: { useOnlyResidential: proxy.type === 'residential' },
    }),
    ...(cookies.length > 0 && { cookies: [...configurations.cookies, ...cookies] }),
    ...(wait_config && { waitForSelector: undefined }),
  }
  const options =
    Object.keys(changes).length > 0 ? { ...configurations, ...changes } : configurations
  const isRendered = rendersJavaScript(given, options)
  return isRendered === options.js_render ? options : { ...options, js_render: isRendered }
}

/**
 * Whether the page's JavaScript runs. With `auto` it does where other options need a browser anyway;
 * otherwise the page is fetched over HTTP.
 */
function rendersJavaScript({ render_js, method }: ExtractOptions, options: ScrapeOptions): boolean {
  if (render_js !== 'auto') return render_js ?? options.js_render
  return method === 'GET' && engineFor({ ...options, js_render: false }) === 'browser'
}

/** Without JavaScript there is nothing to wait for, so `wait_config` has no effect then. */
function toWaitPlan(given: ExtractOptions, options: ScrapeOptions): WaitPlan {
  const { wait_config, render_js, configurations } = given
  if (wait_config && (options.js_render || render_js === 'auto')) return planWait(wait_config)
  // The defaults are one shared object, so only a request without `configurations` has it.
  const mode = configurations === defaultScrapeOptions ? settledMode : configurations.mode
  return { mode, selector: options.waitForSelector }
}

/** A `Cookie` header becomes cookies, which both engines keep apart by host. */
function cookiesIn(headers: Record<string, string> = {}): ScrapeOptions['cookies'] {
  const entry = Object.entries(headers).find(([name]) => name.toLowerCase() === 'cookie')
  const pairs = entry?.[1].split(';', 100) ?? []
  return pairs.flatMap((pair) => {
    const [, name, value] = /^\s*([!-:<>-~]+)=\s*(.*?)\s*$/.exec(pair) ?? []
    return name !== undefined && value !== undefined ? [{ name, value }] : []
  })
}

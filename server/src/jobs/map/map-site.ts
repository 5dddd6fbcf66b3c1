import { Failure } from '../../domain/failure.ts'
import { redactUrl } from '../../domain/redact-url.ts'
import type { Page } from '../../domain/scrape/page.ts'
import type { MapOrder } from '../../domain/scrape/scrape-request.ts'
import type { HttpEngine, HttpFetchOrder, HttpFetchResult } from '../../engines/http/http-engine.ts'
import type { PageToPresent } from '../../formats/present.ts'
import type { ContentWorkers } from '../../formats/workers/content-workers.ts'
import type { PresentCaller } from '../../formats/workers/worker-pool.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import { linksJson } from '../../wire/map/links-json.ts'
import { fetchDocument } from '../sitemaps/fetch-document.ts'
import { type Discovery, discoverLinks, type SeedPage } from './discover-links.ts'

/** How long a site may be looked through. */
export const mapMsMax = 60_000

interface MapSiteParts {
  /** It reserves memory for each document. */
  engine: HttpEngine
  contents: ContentWorkers
}

/**
 * Lists the URLs of a site as if it were a page: a JSON array that is stored and kept like any other. So
 * a map is a task, with its proxy, its retries and its time limit.
 */
export async function mapSite(
  { engine, contents }: MapSiteParts,
  map: MapOrder,
  order: HttpFetchOrder & { accountId: string },
): Promise<HttpFetchResult> {
  const { accountId, signal, proxy } = order
  const requests: Page['requests'] = []
  const bandwidth = { received: 0, sent: 0, requests: 0 }
  const timeUp = AbortSignal.timeout(Math.min(mapMsMax, order.timeoutMs))
  const ended = AbortSignal.any([timeUp, signal])
  const discovery = await discoverLinks(
    {
      seedUrl: map.url,
      includeSubdomains: map.includesSubdomains,
      ignoreQueryParameters: map.ignoresQueries,
      search: map.search ?? undefined,
    },
    {
      accountId,
      fetchBytes: (url, signal) => fetchDocument(engine, { url, signal, accountId, proxy }, count),
      listLinks: (page) => listLinks(contents, page, { accountId, signal: ended }),
    },
    ended,
  )
  signal.throwIfAborted()
  if (discovery.isTimedOut && discovery.links.length === 0) throw outOfTime()
  await reserveMemory(order, discovery)
  const body = await linksJson(discovery.links)
  const page = toPage(map.url, discovery, { requests, bandwidth, body })
  return { page, timings: noTimings }

  function count({ bandwidth: used }: Page): void {
    bandwidth.received += used.received
    bandwidth.sent += used.sent
    bandwidth.requests += used.requests
  }
}

/** Memory for a long list, until it is stored. The documents that it comes from hold none any more. */
async function reserveMemory(order: HttpFetchOrder, { links }: Discovery): Promise<void> {
  const bytes = links.reduce((sum, { url }) => sum + url.length + bytesBesideUrl, 0)
  const { memory, signal } = order
  if (bytes <= unreservedBytesMax || !memory) return
  await withDeadline(memory.reserve(bytes), { ms: fetchMsMax, signal, late: outOfTime })
}

const bytesBesideUrl = '{"url":"","source":"sitemap"},'.length
const unreservedBytesMax = 2 ** 20

const fetchMsMax = 30_000

const outOfTime = () =>
  new Failure(
    'TARGET_TIMEOUT',
    'The site did not show a link in time; try again, or a smaller part.',
  )

/** Reads the links in a content thread: the page may be hostile. */
async function listLinks(
  contents: ContentWorkers,
  { body, contentType, url }: SeedPage,
  caller: PresentCaller,
): Promise<readonly string[]> {
  const page: PageToPresent = {
    body,
    contentEncoding: undefined,
    contentType,
    isJson: false,
    minify: undefined,
    form: 'embedded',
    extract: {
      url,
      formats: [],
      hasLinks: false,
      isMainContentOnly: false,
      rules: undefined,
      robotsTags: [],
    },
  }
  const { links } = await contents.present(page, caller)
  return links?.links ?? []
}

const noTimings = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 0, downloadMs: 0 }

const toPage = (
  url: string,
  { links, warning }: Discovery,
  fetched: Pick<Page, 'requests' | 'bandwidth' | 'body'>,
): Page => ({
  statusCode: 200,
  url: redactUrl(url),
  headers: { 'content-type': 'application/json' },
  siteLinks: { count: links.length, warning },
  cookies: [],
  ...fetched,
})

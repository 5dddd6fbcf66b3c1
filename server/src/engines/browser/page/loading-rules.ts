import type { Protocol } from 'devtools-protocol'
import { parseUrl } from '../../../domain/parse-url.ts'
import type { ScrapeOptions } from '../../../domain/scrape/scrape-options.ts'

type ResourceType = Protocol.Network.ResourceType

type LoadingOptions = Pick<ScrapeOptions, 'block_resources' | 'optimizations'>

const heavyTypes: readonly ResourceType[] = ['Image', 'Stylesheet', 'Media', 'Font']

export type LoadingRules = ReturnType<typeof loadingRules>

export const loadingRules = ({ block_resources, optimizations }: LoadingOptions) => ({
  /** Resources are loaded only from the origin of the document. */
  isSameOriginOnly: optimizations.loadOnlySameOriginRequests,
  /** Nothing is loaded from hosts that contain one of these strings. */
  skippedDomains: optimizations.skipDomains,
  blockedTypes: block_resources ? heavyTypes : [],
})

/** Whether the page may load this resource; `origins` are those of its main documents. */
export function mayLoad(
  { isSameOriginOnly, skippedDomains, blockedTypes }: LoadingRules,
  { url, type }: { url: string; type: ResourceType },
  origins: ReadonlySet<string>,
): boolean {
  if (blockedTypes.includes(type)) return false
  // `data:` and `blob:` URLs need no network, nor do URLs that only Chromium accepts.
  const { hostname = '', protocol = '', host = '' } = parseUrl(url) ?? {}
  if (hostname === '') return true
  const isOwn = origins.has(originOf(protocol, host))
  // CDP cannot intercept WebSockets, and the egress proxy has to let the page's own origin through.
  const isSkippable = type !== 'WebSocket' || !isOwn
  if (isSkippable && skippedDomains.some((part) => hostname.includes(part))) return false
  return !isSameOriginOnly || isOwn
}

/** The part of the rules that the egress proxy can enforce, which sees only host and port. */
export function hostFilter(
  { isSameOriginOnly, skippedDomains }: LoadingRules,
  origins: ReadonlySet<string>,
): (host: string, port: number) => boolean {
  const ownTargets = new Set([...origins].map(hostAndPortOf))
  return (host, port) => {
    if (ownTargets.has(`${host}:${port}`)) return true
    if (isSameOriginOnly) return false
    return !skippedDomains.some((part) => host.includes(part))
  }
}

/** CDP URL patterns for skipped domains. They match paths too, so `mayLoad` decides. */
export const skippedUrls = ({ skippedDomains }: LoadingRules): string[] =>
  skippedDomains.map((part) => `http*://*${part.replace(/[*?\\]/g, '\\$&')}*`)

export const hasHostRules = ({ isSameOriginOnly, skippedDomains }: LoadingRules): boolean =>
  isSameOriginOnly || skippedDomains.length > 0

/** A `ws:` URL counts as the origin of the `http:` URL with the same host. */
const originOf = (protocol: string, host: string): string =>
  `${protocol.replace(/^ws/, 'http')}//${host}`

function hostAndPortOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

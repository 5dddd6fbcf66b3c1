import type { Protocol } from 'devtools-protocol'

type ResourceType = Protocol.Network.ResourceType

/** What of a page is loaded. */
export interface LoadingRules {
  /** Only from the origin of the document. */
  isSameOriginOnly: boolean
  /** Nothing from hosts that contain one of these. */
  skippedDomains: readonly string[]
  blockedTypes: readonly ResourceType[]
}

interface LoadingOptions {
  readonly block_resources: boolean
  readonly optimizations: {
    readonly skipDomains: readonly string[]
    readonly loadOnlySameOriginRequests: boolean
  }
}

const heavyTypes: readonly ResourceType[] = ['Image', 'Stylesheet', 'Media', 'Font']

export const loadingRules = ({ block_resources, optimizations }: LoadingOptions): LoadingRules => ({
  isSameOriginOnly: optimizations.loadOnlySameOriginRequests,
  skippedDomains: optimizations.skipDomains,
  blockedTypes: block_resources ? heavyTypes : [],
})

/** Whether the page may load this beside its own documents; `origins` are those of the documents. */
export function isLoaded(
  { isSameOriginOnly, skippedDomains, blockedTypes }: LoadingRules,
  { url, type }: { url: string; type: ResourceType },
  origins: ReadonlySet<string>,
): boolean {
  if (blockedTypes.includes(type)) return false
  // What is in the page already, as `data:` and `blob:`, is not loaded from anywhere; nor is what
  // Chromium takes for a URL and nobody else does.
  const { hostname = '', protocol = '', host = '' } = URL.parse(url) ?? {}
  if (hostname === '') return true
  const isOwn = origins.has(originOf(protocol, host))
  // The browser asks nobody about a WebSocket, and the way out has to let it through to the own origin.
  const isSkippable = type !== 'WebSocket' || !isOwn
  if (isSkippable && skippedDomains.some((part) => hostname.includes(part))) return false
  return !isSameOriginOnly || isOwn
}

/** What of this can be told from where a connection goes: the rule for the way out. */
export function reachable(
  { isSameOriginOnly, skippedDomains }: LoadingRules,
  origins: ReadonlySet<string>,
): (host: string, port: number) => boolean {
  const places = new Set([...origins].map(placeOf))
  return (host, port) => {
    if (places.has(`${host}:${port}`)) return true
    if (isSameOriginOnly) return false
    return !skippedDomains.some((part) => host.includes(part))
  }
}

/** Patterns of the browser for every URL that may have a skipped domain; some have it elsewhere. */
export const skippedUrls = ({ skippedDomains }: LoadingRules): string[] =>
  skippedDomains.map((part) => `http*://*${part.replace(/[*?\\]/g, '\\$&')}*`)

export const hasHostRules = ({ isSameOriginOnly, skippedDomains }: LoadingRules): boolean =>
  isSameOriginOnly || skippedDomains.length > 0

/** A WebSocket belongs to the origin of the page that opens it. */
const originOf = (protocol: string, host: string): string =>
  `${protocol.replace(/^ws/, 'http')}//${host}`

function placeOf(origin: string): string {
  const { hostname, port, protocol } = new URL(origin)
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

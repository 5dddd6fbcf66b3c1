/** Hop-by-hop headers concern one connection only, so a proxy that forwards a message removes them. */
export const hopByHopHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The further headers that a `Connection` header declares to be hop-by-hop, names in lower case. */
export const namesInConnection = (value: string): string[] =>
  value.split(',').map((name) => name.trim().toLowerCase())

/** Names that are about the way to us, our own protocol or credentials, never the target's business. */
const withheld = new Set([
  ...hopByHopHeaders,
  // about this exchange alone
  'http2-settings',
  'expect',
  'max-forwards',
  // set by the engine
  'host',
  'accept-encoding',
  // credentials for this service
  'authorization',
  'x-api-key',
  'cookie',
  // meant for this service
  'idempotency-key',
  'x-request-id',
  'x-correlation-id',
  'traceparent',
  'tracestate',
  'baggage',
  'x-amzn-trace-id',
  'x-cloud-trace-context',
  // the caller's address
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-remote-addr',
  'x-remote-ip',
  'client-ip',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'x-original-forwarded-for',
  'x-original-host',
  'cdn-loop',
])

const withheldPrefixes = [
  'content-',
  'proxy-',
  'sec-websocket-',
  'x-forwarded-',
  'x-envoy-',
  'x-azure-',
  'x-appengine-',
  'cf-',
  ':',
]

/** The caller's own headers that a target may get, with names in lower case. */
export function forwardableHeaders(
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  const connection = Object.entries(given).find(([name]) => name.toLowerCase() === 'connection')
  const hopByHop = new Set(namesInConnection(connection?.[1] ?? ''))
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!isWithheld(lower) && !hopByHop.has(lower)) kept[lower] = value
  }
  return kept
}

/** Set by the engine, or about one connection; cookies go to the engine's own cookie jar. */
const reserved = new Set([
  ...hopByHopHeaders,
  'host',
  'content-length',
  'accept-encoding',
  'cookie',
  'expect',
  'http2-settings',
  'proxy-connection',
  'proxy-authorization',
])

/** The headers that a caller gives for the target: all but those that would break the request. */
export function targetHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const lowered = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lowered.filter(([name]) => !reserved.has(name)))
}

const isWithheld = (name: string): boolean =>
  withheld.has(name) || withheldPrefixes.some((prefix) => name.startsWith(prefix))

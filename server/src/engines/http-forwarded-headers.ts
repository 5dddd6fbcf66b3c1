/** Names that are about the way to us, our own protocol or credentials, never the target's business. */
const withheld = new Set([
  // hop by hop
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
  'max-forwards',
  // ours to say
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
  // where the caller sits
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

/** The caller's own headers that a target may see, names in lower case. */
export function forwardable(given: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {}
  const perHop = listPerHop(given)
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase()
    if (!isWithheld(lower) && !perHop.has(lower)) kept[lower] = value
  }
  return kept
}

const isWithheld = (name: string): boolean =>
  withheld.has(name) || withheldPrefixes.some((prefix) => name.startsWith(prefix))

/** `Connection` names further headers that end at the next hop, which is us. */
function listPerHop(given: Readonly<Record<string, string>>): Set<string> {
  const connection = Object.entries(given).find(([name]) => name.toLowerCase() === 'connection')
  const names = connection?.[1].toLowerCase().split(',') ?? []
  return new Set(names.map((name) => name.trim()))
}

import type { TestContext } from 'node:test'
import { createHttpClient } from '../../src/outbound/client/create-http-client.ts'
import type {
  ExchangeLimits,
  OutboundRequest,
  OutboundResponse,
} from '../../src/outbound/client/http-client.ts'
import type { EgressRules, Purpose } from '../../src/outbound/guard/address-policy.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import type { OutboundError } from '../../src/outbound/outbound-error.ts'
import { createResolver } from '../../src/outbound/resolver.ts'

export const closed: EgressRules = {
  allow: [],
  mayCallBackToLoopback: false,
  ownAddresses: () => new Set(),
}

export const allowing = (...blocks: string[]): EgressRules => ({
  ...closed,
  allow: blocks.map((block) => ({ purpose: undefined, block })),
})

const limits: ExchangeLimits = {
  dnsMs: 8000,
  connectMs: 8000,
  tlsMs: 8000,
  headersMs: 8000,
  idleMs: 8000,
  headerBytesMax: 32_768,
  bodyBytesMax: 1_048_576,
}

type RequestChanges = Partial<Omit<OutboundRequest, 'url' | 'limits'>> & {
  limits?: Partial<ExchangeLimits>
}

export interface TestClient {
  send(url: string, changes?: RequestChanges): Promise<OutboundResponse>
  close(): Promise<void>
}

/** A test that waits longer than this waits for something that will not happen. */
const exchangeMsMax = 20_000

export function openClient(
  t: TestContext,
  rules: EgressRules,
  options: {
    dns?: { address: string }
    trustedAuthorities?: string[]
    onBlocked?: (purpose: Purpose, reason: string) => void
  } = {},
): TestClient {
  const client = createHttpClient({
    guard: createEgressGuard(rules, options.onBlocked),
    resolver: createResolver({ servers: options.dns ? [options.dns.address] : ['127.0.0.1:1'] }),
    trustedAuthorities: options.trustedAuthorities,
  })
  const close = async () => client[Symbol.asyncDispose]()
  t.after(close)
  return {
    close,
    send: (url, changes = {}) =>
      client.send({
        method: 'GET',
        headers: {},
        purpose: 'target',
        signal: AbortSignal.timeout(exchangeMsMax),
        ...changes,
        url: new URL(url),
        limits: { ...limits, ...changes.limits },
      }),
  }
}

/** What went wrong, for exchanges that must fail. */
export const problemOf = (exchange: Promise<OutboundResponse>): Promise<OutboundError> =>
  exchange.then(
    ({ statusCode }) => {
      throw new Error(`It was answered with ${statusCode}.`)
    },
    (error: OutboundError) => error,
  )

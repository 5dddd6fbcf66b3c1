import type { TestContext } from 'node:test'
import {
  createHttpEngine,
  type HttpFetchOrder,
  type HttpFetchResult,
  type HttpOptions,
} from '../../src/engines/http/http-engine.ts'
import { createHttpClient } from '../../src/outbound/client/create-http-client.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createResolver } from '../../src/outbound/resolver.ts'

export interface TestEngine {
  fetch(url: string, changes?: OrderChanges): Promise<HttpFetchResult>
  close(): Promise<void>
}

type OrderChanges = Partial<Omit<HttpFetchOrder, 'url' | 'options'>> & {
  options?: Partial<HttpOptions>
}

/** An engine that may reach the loopback addresses named, through a DNS if there is one. */
export function openEngine(
  t: TestContext,
  {
    allow = '127.0.0.0/8',
    dns,
    trustedAuthorities,
  }: { allow?: string; dns?: { address: string }; trustedAuthorities?: string[] } = {},
): TestEngine {
  const client = createHttpClient({
    guard: createEgressGuard({
      allow: [{ purpose: 'target', block: allow }],
      mayCallBackToLoopback: false,
      ownAddresses: () => new Set(),
    }),
    resolver: createResolver({ servers: [dns?.address ?? '127.0.0.1:1'] }),
    trustedAuthorities,
  })
  const close = async () => client[Symbol.asyncDispose]()
  t.after(close)
  const engine = createHttpEngine({ client })
  return {
    close,
    fetch: (url, { options, ...changes } = {}) =>
      engine.fetch({
        forwardedHeaders: {},
        timeoutMs: 20_000,
        signal: new AbortController().signal,
        ...changes,
        url,
        options: {
          keep_headers: false,
          device_type: 'desktop',
          is_json_response: false,
          cookies: [],
          ...options,
        },
      }),
  }
}

export const textOf = ({ page }: HttpFetchResult): string => Buffer.from(page.body).toString('utf8')

/** The headers that an `/echo` of the test site was sent. */
export const echoed = (fetched: HttpFetchResult): Record<string, string> =>
  JSON.parse(textOf(fetched))

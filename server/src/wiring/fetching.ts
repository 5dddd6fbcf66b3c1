/** Builds what fetches pages: the HTTP client, the browser, and the memory that large responses share. */

import type { Config } from '../config.ts'
import { createHttpEngine } from '../engines/http/http-engine.ts'
import type { BrowserPresence } from '../engines/install/browser-presence.ts'
import { createDocumentFetcher, engineWithMemory } from '../jobs/sitemaps/fetch-document.ts'
import { createHttpClient } from '../outbound/client/create-http-client.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import { createResolver } from '../outbound/resolver.ts'
import type { Log } from '../runtime/log.ts'
import { Standstills } from '../runtime/machine/standstills.ts'
import type { Metrics } from '../runtime/metrics.ts'
import { MemoryBudget } from '../runtime/sharing/memory-budget.ts'
import type { ProxyPool } from '../tasks/proxies/proxy-pool.ts'
import { startBrowser } from './browser.ts'

/** Memory for two responses of the largest size, or for many of a few mebibytes, and one more for others. */
const largeResponses = { accountMax: 48 * 2 ** 20, total: 68 * 2 ** 20 }

interface FetchingParts {
  config: Config
  guard: EgressGuard
  listeningPorts: ListeningPorts
  presence: BrowserPresence
  proxies: ProxyPool
  log: Log
  metrics: Metrics
}

export function startFetching(parts: FetchingParts, stack: AsyncDisposableStack) {
  const { config, guard, proxies, log } = parts
  const resolver = createResolver({ servers: config.outbound.dnsServers })
  const client = stack.use(createHttpClient({ guard, resolver }))
  const memoryBudget = new MemoryBudget(largeResponses)
  const documentEngine = engineWithMemory(createHttpEngine({ client }), memoryBudget)
  return {
    client,
    browser: stack.use(startBrowser({ ...parts, resolver })),
    memoryBudget,
    standstills: stack.use(new Standstills({ log })),
    documentEngine,
    /** Fetches what crawls need beside their pages. */
    fetchDocument: createDocumentFetcher({ proxies, engine: documentEngine }),
  }
}

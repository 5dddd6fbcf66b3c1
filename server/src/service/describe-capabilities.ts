import type { BrowserFacts } from '../domain/service/health.ts'
import { version } from '../runtime/version.ts'
import type { Database } from '../storage/database.ts'
import { browserCapability, type Capabilities } from '../wire/service/responses.ts'

interface CapabilityParts {
  roles: Capabilities['roles']
  bodyBytesMax: number
  storeKind: Database['kind']
  proxies: Capabilities['proxies']
}

export const describeCapabilities = (
  { roles, bodyBytesMax, storeKind, proxies }: CapabilityParts,
  browser: BrowserFacts,
): Capabilities => ({
  service: 'trawl',
  version,
  store: storeKind,
  roles,
  engines: { browser: browserCapability(browser) },
  proxies,
  limits: { body_bytes_max: bodyBytesMax },
})

import type { Route } from './route.ts'
import { apiKeyRoutes } from './routes/api-keys.ts'
import { batchRoutes } from './routes/batches.ts'
import { callbackTaskRoutes } from './routes/callback-tasks.ts'
import { capabilityRoutes } from './routes/capabilities.ts'
import { chartRoutes } from './routes/charts.ts'
import { crawlRoutes } from './routes/crawls.ts'
import { eventRoutes } from './routes/events.ts'
import { extractPageRoutes } from './routes/extract-page.ts'
import { extractionRoutes } from './routes/extractions.ts'
import { healthRoutes } from './routes/health.ts'
import { jobRoutes } from './routes/jobs.ts'
import { mapRoutes } from './routes/maps.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { operatorRoutes } from './routes/operator.ts'
import { pageRoutes } from './routes/pages.ts'
import { pressureRoutes } from './routes/pressure.ts'
import { referenceRoutes } from './routes/reference.ts'
import { scrapeRoutes } from './routes/scrapes.ts'
import { searchRoutes } from './routes/search.ts'
import { sessionRoutes } from './routes/session.ts'
import { taskRoutes } from './routes/tasks.ts'
import { usageRoutes } from './routes/usage.ts'
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts'
import { webhookRoutes } from './routes/webhooks.ts'
import { whitelistedIpRoutes } from './routes/whitelisted-ips.ts'

/** Every route of the service. A route that is not here does not exist. */
export const routes: readonly Route[] = [
  ...pageRoutes,
  ...healthRoutes,
  ...pressureRoutes,
  ...capabilityRoutes,
  ...referenceRoutes,
  ...sessionRoutes,
  ...scrapeRoutes,
  ...callbackTaskRoutes,
  ...extractPageRoutes,
  ...extractionRoutes,
  ...batchRoutes,
  ...crawlRoutes,
  ...mapRoutes,
  ...jobRoutes,
  ...taskRoutes,
  ...eventRoutes,
  ...usageRoutes,
  ...chartRoutes,
  ...operatorRoutes,
  ...mcpRoutes,
  ...searchRoutes,
  ...whitelistedIpRoutes,
  ...apiKeyRoutes,
  ...webhookRoutes,
  ...webhookDeliveryRoutes,
]

/** The routes of a process without the role `api`. */
export const probes: readonly Route[] = routes.filter((route) => route.isProbe)

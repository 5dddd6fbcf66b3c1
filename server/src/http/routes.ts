import type { Route } from './route.ts'
import { addWhitelistedIps } from './routes/configuration/add-whitelisted-ips.ts'
import { listWhitelistedIps } from './routes/configuration/list-whitelisted-ips.ts'
import { removeWhitelistedIps } from './routes/configuration/remove-whitelisted-ips.ts'
import { updateWhitelistedIp } from './routes/configuration/update-whitelisted-ip.ts'
import { getCapabilities } from './routes/service/get-capabilities.ts'
import { getFrontPage } from './routes/service/get-front-page.ts'
import { getHealth } from './routes/service/get-health.ts'
import { getLivez } from './routes/service/get-livez.ts'
import { getMetrics } from './routes/service/get-metrics.ts'
import { getOpenapi } from './routes/service/get-openapi.ts'
import { getReadyz } from './routes/service/get-readyz.ts'
import { getReference } from './routes/service/get-reference.ts'
import { createWebhook } from './routes/webhooks/create-webhook.ts'
import { deleteWebhook } from './routes/webhooks/delete-webhook.ts'
import { getWebhook } from './routes/webhooks/get-webhook.ts'
import { listWebhookDeliveries } from './routes/webhooks/list-webhook-deliveries.ts'
import { listWebhooks } from './routes/webhooks/list-webhooks.ts'
import { rotateWebhookSecret } from './routes/webhooks/rotate-webhook-secret.ts'
import { updateWebhook } from './routes/webhooks/update-webhook.ts'

/** Every route of the service. A route that is not here does not exist. */
export const routes: readonly Route[] = [
  getFrontPage,
  getLivez,
  getReadyz,
  getHealth,
  getMetrics,
  getCapabilities,
  getOpenapi,
  getReference,

  listWhitelistedIps,
  addWhitelistedIps,
  updateWhitelistedIp,
  removeWhitelistedIps,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
]

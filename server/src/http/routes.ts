import type { Route } from './route.ts'
import { cancelBatch } from './routes/batch/cancel-batch.ts'
import { createBatch } from './routes/batch/create-batch.ts'
import { getBatch } from './routes/batch/get-batch.ts'
import { listBatches } from './routes/batch/list-batches.ts'
import { retryFailedOfBatch } from './routes/batch/retry-failed-of-batch.ts'
import { addWhitelistedIps } from './routes/configuration/add-whitelisted-ips.ts'
import { listWhitelistedIps } from './routes/configuration/list-whitelisted-ips.ts'
import { removeWhitelistedIps } from './routes/configuration/remove-whitelisted-ips.ts'
import { updateWhitelistedIp } from './routes/configuration/update-whitelisted-ip.ts'
import { cancelCrawl } from './routes/crawl/cancel-crawl.ts'
import { createCrawl } from './routes/crawl/create-crawl.ts'
import { getCrawl } from './routes/crawl/get-crawl.ts'
import { listCrawls } from './routes/crawl/list-crawls.ts'
import { watchEvents } from './routes/events/watch-events.ts'
import { extractPage } from './routes/extract/extract-page.ts'
import { getExtractFile } from './routes/extract/get-extract-file.ts'
import { getExtractJob } from './routes/extract/get-extract-job.ts'
import { listExtractJobs } from './routes/extract/list-extract-jobs.ts'
import { getJob } from './routes/jobs/get-job.ts'
import { listJobs } from './routes/jobs/list-jobs.ts'
import { createApiKey } from './routes/keys/create-api-key.ts'
import { listApiKeys } from './routes/keys/list-api-keys.ts'
import { revokeApiKey } from './routes/keys/revoke-api-key.ts'
import { getMap } from './routes/map/get-map.ts'
import { listMaps } from './routes/map/list-maps.ts'
import { mapSiteUrls } from './routes/map/map-site-urls.ts'
import { handleMcpMessage } from './routes/mcp/handle-mcp-message.ts'
import { getSystem } from './routes/operator/get-system.ts'
import { listProxies } from './routes/operator/list-proxies.ts'
import { cancelTask } from './routes/scraper/cancel-task.ts'
import { getTask } from './routes/scraper/get-task.ts'
import { getTaskResult } from './routes/scraper/get-task-result.ts'
import { getTaskScreenshot } from './routes/scraper/get-task-screenshot.ts'
import { listTasks } from './routes/scraper/list-tasks.ts'
import { redeliverTask } from './routes/scraper/redeliver-task.ts'
import { runRealtimeScrape } from './routes/scraper/run-realtime-scrape.ts'
import { submitCallbackScrape } from './routes/scraper/submit-callback-scrape.ts'
import { getSearchJob } from './routes/search/get-search-job.ts'
import { listSearchJobs } from './routes/search/list-search-jobs.ts'
import { runSearch } from './routes/search/run-search.ts'
import { getCapabilities } from './routes/service/get-capabilities.ts'
import { getDashboardFile } from './routes/service/get-dashboard-file.ts'
import { getDashboardPage } from './routes/service/get-dashboard-page.ts'
import { getFrontPage } from './routes/service/get-front-page.ts'
import { getHealth } from './routes/service/get-health.ts'
import { getLivez } from './routes/service/get-livez.ts'
import { getLlmsTxt } from './routes/service/get-llms-txt.ts'
import { getMetrics } from './routes/service/get-metrics.ts'
import { getOpenapi } from './routes/service/get-openapi.ts'
import { getPressure } from './routes/service/get-pressure.ts'
import { getReadyz } from './routes/service/get-readyz.ts'
import { getReference } from './routes/service/get-reference.ts'
import { getReferenceScript } from './routes/service/get-reference-script.ts'
import { beginSession } from './routes/session/begin-session.ts'
import { endSession } from './routes/session/end-session.ts'
import { getSession } from './routes/session/get-session.ts'
import { cancelTaskById } from './routes/tasks/cancel-task-by-id.ts'
import { getTaskDetails } from './routes/tasks/get-task-details.ts'
import { getTaskResponse } from './routes/tasks/get-task-response.ts'
import { previewTask } from './routes/tasks/preview-task.ts'
import { retryTask } from './routes/tasks/retry-task.ts'
import { searchTasks } from './routes/tasks/search-tasks.ts'
import { getConcurrencyUsage } from './routes/usage/get-concurrency-usage.ts'
import { getSeries } from './routes/usage/get-series.ts'
import { getStatistics } from './routes/usage/get-statistics.ts'
import { listDomains } from './routes/usage/list-domains.ts'
import { createWebhook } from './routes/webhooks/create-webhook.ts'
import { deleteWebhook } from './routes/webhooks/delete-webhook.ts'
import { getWebhook } from './routes/webhooks/get-webhook.ts'
import { getWebhookDelivery } from './routes/webhooks/get-webhook-delivery.ts'
import { listWebhookDeliveries } from './routes/webhooks/list-webhook-deliveries.ts'
import { listWebhooks } from './routes/webhooks/list-webhooks.ts'
import { recoverWebhookDeliveries } from './routes/webhooks/recover-webhook-deliveries.ts'
import { redeliverWebhookDelivery } from './routes/webhooks/redeliver-webhook-delivery.ts'
import { rotateWebhookSecret } from './routes/webhooks/rotate-webhook-secret.ts'
import { testWebhook } from './routes/webhooks/test-webhook.ts'
import { updateWebhook } from './routes/webhooks/update-webhook.ts'

/** Every route of the service. A route that is not here does not exist. */
export const routes: readonly Route[] = [
  getFrontPage,
  getDashboardPage,
  getDashboardFile,
  getLivez,
  getReadyz,
  getHealth,
  getMetrics,
  getPressure,
  getCapabilities,
  getOpenapi,
  getReference,
  getReferenceScript,
  getLlmsTxt,

  beginSession,
  getSession,
  endSession,

  submitCallbackScrape,
  listTasks,
  getTask,
  getTaskResult,
  getTaskScreenshot,
  redeliverTask,
  cancelTask,
  runRealtimeScrape,

  extractPage,
  listExtractJobs,
  getExtractJob,
  getExtractFile,

  createBatch,
  listBatches,
  getBatch,
  cancelBatch,
  retryFailedOfBatch,
  createCrawl,
  listCrawls,
  getCrawl,
  cancelCrawl,
  mapSiteUrls,
  listMaps,
  getMap,

  listJobs,
  getJob,

  searchTasks,
  getTaskDetails,
  getTaskResponse,
  previewTask,
  retryTask,
  cancelTaskById,
  watchEvents,

  getStatistics,
  getConcurrencyUsage,
  getSeries,
  listDomains,

  getSystem,
  listProxies,

  handleMcpMessage,

  runSearch,
  listSearchJobs,
  getSearchJob,

  listWhitelistedIps,
  addWhitelistedIps,
  updateWhitelistedIp,
  removeWhitelistedIps,

  listApiKeys,
  createApiKey,
  revokeApiKey,

  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  redeliverWebhookDelivery,
  recoverWebhookDeliveries,
]

/** The routes of a process without the role `api`. */
export const probes: readonly Route[] = routes.filter((route) => route.isProbe)

import assert from 'node:assert/strict'
import type { DashboardScene } from '../support/dashboard-scene.ts'
import { ageJob } from '../support/task-age.ts'
import type { TestReceiver } from '../support/test-receiver.ts'
import { until } from '../support/until.ts'
import { shopOrigin } from './picture-site.ts'

export interface SeededWork {
  taskId: string
  crawlId: string
  webhookId: string
  /** For the playground. */
  request: object
}

/** Real work of the service: a rendered page, a crawl, a batch, and a webhook that hears of them. */
export async function seedWork(
  { call, service }: DashboardScene,
  receiver: TestReceiver,
): Promise<SeededWork> {
  let count = 0
  receiver.behave((_received, response) => {
    count++
    response.writeHead(count === 3 ? 503 : 200).end(count === 3 ? 'Back in a minute.' : 'ok')
  })
  const webhook = await call('POST /v1/webhooks', {
    url: `${receiver.url}/trawl`,
    event_type: 'extract_completed',
    description: 'New books for the catalogue',
  })
  const webhookId = String(webhook.json().id)
  const request = {
    url: `${shopOrigin}/sea/harbour-at-dawn`,
    formats: ['markdown', 'html', 'screenshot'],
    render_js: true,
  }
  const retries = { useRetries: false }
  const crawl = await call('POST /v1/crawl', {
    url: `${shopOrigin}/`,
    depth: 3,
    limit: 30,
    formats: ['markdown'],
    configurations: { retries },
  })
  assert.equal(crawl.statusCode, 202, crawl.text)
  const batch = await call('POST /v1/batch', {
    urls: ['the-quiet-tide', 'salt-and-bread'].map((book) => `${shopOrigin}/sea/${book}`),
    formats: ['markdown'],
  })
  for (const book of ['the-quiet-tide', 'salt-and-bread', 'letters-from-the-coast']) {
    await call('POST /v1/extract', { url: `${shopOrigin}/sea/${book}`, formats: ['markdown'] })
  }
  const task = await call('POST /v1/extract', { ...request, configurations: { debug: true } })
  assert.equal(task.statusCode, 200, task.text)
  const crawlId = String(crawl.json().job_id)
  const batchId = String(batch.json().job_id)
  const { db } = await service.openBeside()
  for (const path of [`crawl/${crawlId}`, `batch/${batchId}`]) {
    await until(async () => (await call(`GET /v1/${path}`)).json().completed_at !== null)
  }
  // Not among the newest tasks.
  await ageJob(db, crawlId, 0.6)
  await ageJob(db, batchId, 1.1)
  await receiver.arrivals(4)
  // Its real address has a port of this run.
  const renamed = await call(`PATCH /v1/webhooks/${webhookId}`, {
    url: 'https://hooks.shop.example/trawl',
  })
  assert.equal(renamed.statusCode, 200, renamed.text)
  return { taskId: String(task.headers['x-job-id']), crawlId, webhookId, request }
}

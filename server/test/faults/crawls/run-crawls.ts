import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CrashPoint } from '../../../src/runtime/crash-point.ts'
import type { Database } from '../../../src/storage/database.ts'
import { crawlPath } from '../../support/crawl-calls.ts'
import { expectPages } from '../../support/expected-pages.ts'
import { type JobDelivery, type JobRecords, judgeJob } from '../../support/job-ledger.ts'
import { startTestReceiver, type TestReceiver } from '../../support/test-receiver.ts'
import { startTrapSite, type TrapSite } from '../../support/trap-site.ts'
import { attack } from '../ledger/attack.ts'
import { apiKey, KillableService, killableEnvironment } from '../ledger/killable-service.ts'
import { seededChance } from '../ledger/seeded-chance.ts'

export interface CrawlsOptions {
  seed: number
  /** Settings that name the store. */
  environment: Record<string, string>
  /** The same store, opened beside the service. */
  db: Database
  goodPageCount: number
  /** Where the service dies, `crashRounds` times each. */
  crashPoints: readonly CrashPoint[]
  randomKills: number
  /** Average time between two random kills. */
  killEveryMs: number
  /** How often the service dies at each named crash point. */
  crashRounds: number
  onProgress?(line: string): void
}

export interface CrawlsReport {
  seed: number
  crawlCount: number
  /** Crawls of one page beside them. */
  smallCrawlCount: number
  pageCount: number
  requestCount: number
  killCount: number
  crashedAt: string[]
  /** What is wrong with the finished crawls; nothing should be. */
  problems: string[]
}

type CrawlBody = JobRecords['body']

const depth = 6

interface CrawlScene {
  site: TrapSite
  service: KillableService
  receiver: TestReceiver
  webhookId: string
  call: Caller
  /** Aborted when the run has ended, also where it failed: nobody waits for a crawl any more. */
  abandoned: AbortSignal
}

/**
 * Crawls a site of traps again and again while the service is killed at named crash points and at
 * random, and compares each finished crawl with the site, its own log and the events.
 */
export async function runCrawls(options: CrawlsOptions): Promise<CrawlsReport> {
  await using resources = new AsyncDisposableStack()
  const abandoned = new AbortController()
  resources.defer(() => abandoned.abort())
  const scene = await openScene(resources, options, abandoned.signal)
  const { service } = scene
  const report: Omit<CrawlsReport, 'crashedAt' | 'killCount'> = {
    seed: options.seed,
    crawlCount: 0,
    smallCrawlCount: 0,
    pageCount: 0,
    requestCount: 0,
    problems: [],
  }
  let isOver = false
  const crawling = (async () => {
    for (let number = 1; !isOver; number += 1) await crawlSite(scene, report, number)
  })()
  const small = startSmallCrawls(scene, () => isOver)
  const ended = Promise.all([crawling, small])
  // What fails while the service is attacked fails the run at its end.
  ended.catch(() => undefined)
  const crashedAt = await attack(service, options, seededChance(options.seed))
  if (!service.isRunning) await service.start()
  const killCount = service.deathsAtMs.length
  isOver = true
  options.onProgress?.(`${killCount} kills; waiting for the last crawls`)
  const [, ids] = await ended
  report.smallCrawlCount = ids.length
  for (const id of ids) report.problems.push(...(await judgeSmallCrawl(scene, id)))
  return { ...report, killCount, crashedAt }
}

async function openScene(
  resources: AsyncDisposableStack,
  { seed, goodPageCount, environment }: CrawlsOptions,
  abandoned: AbortSignal,
): Promise<CrawlScene> {
  const ending = {
    after: (end: () => unknown) => void resources.defer(async () => void (await end())),
  } as Pick<TestContext, 'after'>
  const site = await startTrapSite(ending, { seed, goodPageCount, slowMs: 50, latencyMs: 5 })
  const receiver = await startTestReceiver(ending)
  const service = resources.use(
    new KillableService({
      ...environment,
      ...killableEnvironment,
      // The finished crawl is compared with its results.
      TRAWL_RESULT_RETENTION: '1h',
    }),
  )
  await service.start()
  const call = createCaller(service, abandoned)
  const hook = { url: `${receiver.url}/hook`, event_type: 'crawl_completed' }
  const { id: webhookId } = (await call('POST', '/v1/webhooks', hook)) as { id: string }
  return { site, service, receiver, webhookId, call, abandoned }
}

async function crawlSite(
  scene: CrawlScene,
  report: Omit<CrawlsReport, 'crashedAt' | 'killCount'>,
  number: number,
): Promise<void> {
  const { site, service, call } = scene
  const from = site.log.requests.length
  const deathsBefore = service.deathsAtMs.length
  const id = await submit(scene, { url: site.seedUrl, depth, limit: 10_000 }, `site ${number}`)
  const body = await untilEnded(call, id)
  const deliveries = await untilTold(scene, id)
  const requests = site.log.requests
    .slice(from)
    .filter(({ url, kind }) => (kind === 'page' || kind === 'redirect') && !url.endsWith(smallPath))
  const problems = judgeJob({
    body,
    expected: expectPages(site.world, { depth }),
    deliveries,
    receivers: [null, scene.webhookId],
    requests,
    faults: service.deathsAtMs.length - deathsBefore + service.outagesAtMs.length,
    retries: 2,
  })
  report.crawlCount += 1
  report.pageCount += body.results.length
  report.requestCount += requests.length
  report.problems.push(...problems.map((problem) => `${id}: ${problem}`))
}

const smallPath = '/small'
// On a slow machine the next one waits too: otherwise they become more faster than they end.
const smallCrawlsTogether = 10

/** Crawls of one page, many of which begin and end while the service is killed. */
async function startSmallCrawls(scene: CrawlScene, isOver: () => boolean): Promise<string[]> {
  const ids: string[] = []
  while (!isOver()) {
    const url = scene.site.world.origins.other + smallPath
    ids.push(await submit(scene, { url, depth: 1 }, `small ${ids.length}`))
    const earlier = ids.at(-smallCrawlsTogether)
    if (earlier) await untilTold(scene, earlier)
    await pause(200)
  }
  return ids
}

async function judgeSmallCrawl(scene: CrawlScene, id: string): Promise<string[]> {
  const { status, results } = await untilEnded(scene.call, id)
  const isRight = results.length === 1 && status === 'completed'
  const told = new Set((await untilTold(scene, id)).map(({ delivery_id }) => delivery_id))
  return [
    ...(isRight ? [] : [`${id}: It is ${status} with ${JSON.stringify(results)}.`]),
    ...(told.size === 2 ? [] : [`${id}: There were ${told.size} events for two receivers.`]),
  ]
}

async function submit({ call, receiver }: CrawlScene, body: object, key: string): Promise<string> {
  const asked = { ...body, callback_url: `${receiver.url}/callback` }
  return ((await call('POST', crawlPath, asked, key)) as { job_id: string }).job_id
}

/** The events of a crawl, once both of its receivers have one. */
async function untilTold({ receiver, abandoned }: CrawlScene, id: string): Promise<JobDelivery[]> {
  const deliveries = () =>
    receiver.received
      .map(({ json }) => json as JobDelivery)
      .filter(({ data }) => data.job_id === id)
  await untilTrue(() => {
    abandoned.throwIfAborted()
    return new Set(deliveries().map((one) => one.webhook_id)).size === 2
  })
  return deliveries()
}

type Caller = (method: string, path: string, body?: object, key?: string) => Promise<unknown>

/** Calls until there is a response that is not about the service's own trouble. */
function createCaller(service: KillableService, abandoned: AbortSignal): Caller {
  return async (method, path, body, key) => {
    for (;;) {
      abandoned.throwIfAborted()
      const response = await fetch(service.url + path, {
        method,
        headers: {
          'x-api-key': apiKey,
          ...(body && { 'content-type': 'application/json' }),
          ...(key && { 'idempotency-key': key }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      })
        .then(async (one) => (one.ok ? ((await one.json()) as unknown) : undefined))
        .catch(() => undefined)
      if (response !== undefined) return response
      await pause(100)
    }
  }
}

async function untilEnded(call: Caller, id: string): Promise<CrawlBody> {
  const read = async (query: string) =>
    (await call('GET', `${crawlPath}/${id}${query}`)) as CrawlBody
  await untilTrue(async () => (await read('?page_size=1')).completed_at !== null)
  const body = await read('?page_size=1')
  const results: CrawlBody['results'] = []
  for (let page = 1; ; page += 1) {
    const some = await read(`?page=${page}&page_size=50`)
    results.push(...some.results)
    if (some.results.length === 0) return { ...body, results }
  }
}

// So that a run fails instead of hanging; kills interrupt a crawl again and again.
const patienceMs = 45 * 60_000

async function untilTrue(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > deadlineMs) throw new Error('A crawl did not end.')
    await pause(100)
  }
}

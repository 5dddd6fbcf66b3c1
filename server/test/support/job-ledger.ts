import type { ExpectedCrawl, ExpectedPage } from './expected-pages.ts'

/** A finished batch or crawl as its GET shows it, with the results of all pages. */
interface JobBody {
  job_id: string
  status: string
  completed_at: string | null
  results: JobResult[]
  /** `total_urls`, `completed_pages` and the like. */
  [field: string]: unknown
}

interface JobResult {
  url: string
  status: string
  error_code: string | null
  error_reason?: string | null
  /** Batches only. */
  input_index?: number
  /** Crawls only. */
  depth?: number
  parent_url?: string | null
  metadata?: { http_status: number | null } | null
}

/** The body of a callback or webhook as it arrived; an event may arrive more than once. */
export interface JobDelivery {
  event: string
  /** Null for the job's own `callback_url`. */
  webhook_id: string | null
  delivery_id: string
  data: { job_id: string; status: string; [field: string]: unknown }
}

/** Everything that can be known about a job from outside the service. */
export interface JobRecords {
  body: JobBody
  /** What was submitted to a batch, invalid URLs too, or what a crawl must find. */
  expected: { urls: string[]; invalid?: string[] } | ExpectedCrawl
  deliveries: JobDelivery[]
  /** Who must be told of each end: ids of webhooks, null for the `callback_url`. */
  receivers: (string | null)[]
  /** How often the job ended; more than once only after `retry-failed`. */
  ends?: number
  /** The requests that the origin got, without robots.txt and sitemaps. */
  requests: { url: string }[]
  /** How many kills and outages there were: each may cause one more request for any page. */
  faults?: number
  /** How often a page is tried again whose failure or status asks for it. */
  retries?: number
  /** The URLs that had failed at earlier ends of the job, once for each of them. */
  failedBefore?: string[]
}

/** Compares the records of a finished job. Each problem is a sentence; none means that all is well. */
export function judgeJob(records: JobRecords): string[] {
  return [
    ...judgeEnd(records),
    ...judgeCounts(records),
    ...judgeOrder(records),
    ...('urls' in records.expected
      ? judgeBatch(records.body, records.expected)
      : judgeCrawl(records.body, records.expected)),
    ...judgeDeliveries(records),
    ...judgeRequests(records),
  ]
}

const terminal = new Set(['completed', 'failed', 'cancelled'])

function judgeEnd({ body }: JobRecords): string[] {
  const isOver = terminal.has(body.status) && body.completed_at !== null
  return [
    ...(isOver ? [] : [`The job is ${body.status} and its completed_at ${body.completed_at}.`]),
    ...body.results.flatMap(judgeResultEnd),
  ]
}

function judgeResultEnd({ url, status, error_code }: JobResult): string[] {
  if (!terminal.has(status)) return [`${url} is ${status}, which is no end.`]
  const isRight = {
    completed: error_code === null,
    failed: error_code !== null && error_code !== 'CANCELLED',
    cancelled: error_code === 'CANCELLED',
  }[status]
  return isRight ? [] : [`${url} is ${status} with the error code ${error_code}.`]
}

function judgeCounts({ body, expected }: JobRecords): string[] {
  const noun = 'urls' in expected ? 'urls' : 'pages'
  const count = (state: string) => Number(body[`${state}_${noun}`] ?? 0)
  const states = [...terminal, 'pending']
  const sum = states.map(count).reduce((one, other) => one + other)
  const problems = states.flatMap((state) => {
    const actual = body.results.filter(({ status }) => stateOf(status) === state).length
    return count(state) === actual
      ? []
      : [`${state}_${noun} is ${count(state)}, but ${actual} results are ${state}.`]
  })
  if (sum !== count('total')) {
    problems.push(`The counts add up to ${sum} and total_${noun} is ${count('total')}.`)
  }
  return problems
}

const stateOf = (status: string): string => (terminal.has(status) ? status : 'pending')

/** A batch keeps the order of its request; a crawl goes level by level. */
function judgeOrder({ body, expected }: JobRecords): string[] {
  const field = 'urls' in expected ? 'input_index' : 'depth'
  return body.results.slice(1).flatMap((result, index) => {
    const before = body.results[index]?.[field] ?? Number.NaN
    const here = result[field] ?? Number.NaN
    return before <= here ? [] : [`${result.url} with ${field} ${here} comes after ${before}.`]
  })
}

function judgeBatch(body: JobBody, expected: { urls: string[]; invalid?: string[] }): string[] {
  const invalid = new Set(expected.invalid)
  const byIndex = Map.groupBy(body.results, ({ input_index }) => input_index ?? -1)
  const problems = expected.urls.flatMap((url, index) => {
    const results = byIndex.get(index) ?? []
    byIndex.delete(index)
    const times = invalid.has(url) ? 0 : 1
    if (results.length !== times) {
      return [`${url} at ${index} has ${results.length} results instead of ${times}.`]
    }
    return results
      .filter((result) => result.url !== url)
      .map((result) => `The result at ${index} is of ${result.url} instead of ${url}.`)
  })
  const strangers = [...byIndex.values()].flat()
  return [...problems, ...strangers.map(({ url }) => `${url} was never submitted.`)]
}

function judgeCrawl(body: JobBody, { pages, total, completeDepth }: ExpectedCrawl): string[] {
  const byUrl = Map.groupBy(body.results, ({ url }) => url)
  const crawled = new Set(body.results.map(({ url }) => url))
  // A cancelled crawl did not get to all pages, and those that it has must still be right.
  const isWhole = body.status !== 'cancelled'
  const problems = pages.flatMap((page) => {
    const results = byUrl.get(page.url) ?? []
    byUrl.delete(page.url)
    if (results.length > 1) return [`${page.url} has ${results.length} results.`]
    const [result] = results
    if (result) return judgePage(result, page, crawled)
    return isWhole && page.depth <= completeDepth ? [`${page.url} is missing.`] : []
  })
  const count = body.results.length
  if (isWhole ? count !== total : count > total) {
    problems.push(`The crawl has ${count} results instead of ${total}.`)
  }
  return [...problems, ...[...byUrl.keys()].map((url) => `${url} does not belong to the crawl.`)]
}

function judgePage(result: JobResult, page: ExpectedPage, crawled: Set<string>): string[] {
  const problems: string[] = []
  const compare = (what: string, actual: unknown, wanted: unknown) => {
    if (actual !== wanted) problems.push(`${page.url} has ${what} ${actual} instead of ${wanted}.`)
  }
  compare('depth', result.depth, page.depth)
  const parent = result.parent_url ?? null
  if (page.parents.length === 0 ? parent !== null : !page.parents.includes(parent ?? '')) {
    problems.push(`${page.url} has the parent ${parent}, which does not link to it.`)
  }
  if (parent !== null && !crawled.has(parent)) {
    problems.push(`${page.url} has the parent ${parent}, which is no page of the crawl.`)
  }
  if (result.status === 'cancelled' || !terminal.has(result.status)) return problems
  compare('status', result.status, page.status)
  compare('reason', result.error_reason ?? null, page.reason)
  if (page.httpStatus !== null) {
    compare('HTTP status', result.metadata?.http_status, page.httpStatus)
  }
  return problems
}

/** Each receiver gets one event for each end, under one id however often it is sent. */
function judgeDeliveries({
  body,
  expected,
  deliveries,
  receivers,
  ends = 1,
}: JobRecords): string[] {
  const event = 'urls' in expected ? 'batch_completed' : 'crawl_completed'
  const nameOf = (id: string | null) => (id === null ? 'The callback' : `Webhook ${id}`)
  const own = deliveries.filter(({ data }) => data.job_id === body.job_id)
  const perReceiver = receivers.flatMap((receiver) => {
    const received = own.filter(({ webhook_id }) => webhook_id === receiver)
    const ids = new Set(received.map(({ delivery_id }) => delivery_id))
    return ids.size === ends
      ? []
      : [`${nameOf(receiver)} got ${ids.size} events instead of ${ends}.`]
  })
  const strangers = own
    .filter(({ webhook_id }) => !receivers.includes(webhook_id))
    .map(({ webhook_id }) => `${nameOf(webhook_id)} got an event and had asked for none.`)
  const contents = own.flatMap((one) => judgeContent(one, { event, body, ends }))
  return [...perReceiver, ...strangers, ...contents, ...judgeIds(own)]
}

function judgeContent(
  { event, delivery_id, data }: JobDelivery,
  wanted: { event: string; body: JobBody; ends: number },
): string[] {
  const problems: string[] = []
  if (event !== wanted.event) problems.push(`Delivery ${delivery_id} is of the event ${event}.`)
  // An earlier end had other counts, and which delivery belongs to which end is not written on it.
  if (wanted.ends > 1) return problems
  const fields = Object.keys(data).filter((name) => /^status$|_(urls|pages)$/.test(name))
  for (const name of fields) {
    const [sent, shown] = [data[name], wanted.body[name]].map((value) => JSON.stringify(value))
    if (sent !== shown) problems.push(`Delivery ${delivery_id} says ${name} ${sent}, not ${shown}.`)
  }
  return problems
}

/** An id belongs to one receiver and one message. */
function judgeIds(deliveries: JobDelivery[]): string[] {
  const byId = Map.groupBy(deliveries, ({ delivery_id }) => delivery_id)
  return [...byId]
    .filter(([, same]) => new Set(same.map(describeDelivery)).size > 1)
    .map(([id]) => `Delivery ${id} arrived with different contents.`)
}

const describeDelivery = ({ event, webhook_id, data }: JobDelivery): string =>
  [event, webhook_id, data.status].join(' ')

/** A page is requested once, and once more for each fault and for each retry that it needs. */
function judgeRequests(records: JobRecords): string[] {
  const { body, expected, requests, faults = 0 } = records
  const allowed = 'urls' in expected ? requestsOfBatch(expected.urls) : requestsOfCrawl(expected)
  const triesOf = countTries(records)
  const counts = new Map<string, number>()
  for (const { url } of requests) counts.set(url, (counts.get(url) ?? 0) + 1)
  const problems = [...counts].flatMap(([url, count]) => {
    const causes = allowed.get(url)
    if (!causes) return [`${url} was requested and is no page of the job.`]
    const times = causes
      .map(({ page, times }) => times * (triesOf(page) + faults))
      .reduce((one, other) => one + other)
    return count > times ? [`${url} was requested ${count} times instead of ${times}.`] : []
  })
  const unasked = body.results.filter(
    ({ url, status }) => status === 'completed' && !counts.has(withoutFragment(url)),
  )
  return [...problems, ...unasked.map(({ url }) => `${url} is completed and was never requested.`)]
}

/** A page of the job that leads to a request, and how often it does each time it is tried. */
interface Cause {
  page: string
  times: number
}

const requestsOfBatch = (urls: readonly string[]): Map<string, Cause[]> =>
  Map.groupBy(
    urls.filter((url) => URL.canParse(url)).map((page) => ({ page, times: 1 })),
    ({ page }) => withoutFragment(page),
  )

function requestsOfCrawl({ pages }: ExpectedCrawl): Map<string, Cause[]> {
  const causes = pages.flatMap(({ url: page, requested, requestedTimes: times }) =>
    requested.map((url) => ({ url, page, times })),
  )
  return Map.groupBy(causes, ({ url }) => url)
}

const retriedReasons = new Set(
  ['TARGET_UNREACHABLE', 'TARGET_DNS_FAILED', 'TARGET_TIMEOUT', 'BAD_RESPONSE'].concat([
    'PROXY_FAILED',
    'BROWSER_CRASHED',
    'RATE_LIMITED',
  ]),
)
const retriedStatuses = new Set([403, 407, 408, 425, 429])

/** How often a page may be tried without a fault. */
function countTries({ body, retries = 0, failedBefore = [] }: JobRecords): (url: string) => number {
  const isRetried = ({ error_reason, metadata }: JobResult) => {
    const status = metadata?.http_status ?? 0
    return retriedReasons.has(error_reason ?? '') || retriedStatuses.has(status) || status >= 500
  }
  const retried = new Set(body.results.filter(isRetried).map(({ url }) => url))
  const again = Map.groupBy(failedBefore, (url) => url)
  return (url) =>
    (retried.has(url) ? 1 + retries : 1) + (again.get(url)?.length ?? 0) * (1 + retries)
}

function withoutFragment(url: string): string {
  const parsed = new URL(url)
  parsed.hash = ''
  return parsed.href
}

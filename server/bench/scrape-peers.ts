/** The peers of a scraping service: an origin, receivers, and a caller who submits tasks. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { makeArticlePage, makeDensePage } from './article-page.ts'

const htmlBytes = 64 * 1024
const smallHtmlBytes = 20 * 1024

/** Text that compresses like a page. */
function makePage(htmlBytes: number): string {
  let html = '<!doctype html><title>A page</title>'
  for (let line = 0; html.length < htmlBytes; line += 1) {
    html += `<div class="row r${line % 7}"><a href="/item/${(line * 7919) % 10007}">Item ${line}</a> costs ${(line * 31) % 997} and is “good”.</div>\n`
  }
  return html
}

/** As far away as a site usually is. */
const slowPath = '/slow'
const slowMs = 200
const densePage = gzipSync(makeDensePage(47_000))
const pages: Record<string, Buffer> = {
  '/page': gzipSync(makePage(htmlBytes)),
  '/small-page': gzipSync(makePage(smallHtmlBytes)),
  '/article': gzipSync(makeArticlePage(20_000)),
  '/dense-47': densePage,
  [slowPath]: densePage,
}
let onArrival: (path: string) => void = () => undefined
let onAsked: () => void = () => undefined
let asked = 0
let arrivals = 0
let arrivalsBefore = 0
const origin = createServer((request, response) => {
  const [path = ''] = request.url?.split('?') ?? []
  const page = pages[path] ?? Buffer.alloc(0)
  asked += 1
  onAsked()
  const respond = () => {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': page.length,
    })
    response.end(page)
  }
  if (path === slowPath) setTimeout(respond, slowMs)
  else respond()
})
// Several receivers, since a destination gets at most ten concurrent deliveries.
const receivers = Array.from({ length: 8 }, () =>
  createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(200, { 'content-length': 0 }).end()
      arrivals += 1
      onArrival(request.url ?? '')
    })
  }),
)
for (const server of [origin, ...receivers]) server.keepAliveTimeout = 60_000
const originUrl = await listen(origin)
const receiverUrls = await Promise.all(receivers.map(listen))

interface Question {
  kind:
    | 'urls'
    | 'callbacks'
    | 'latency'
    | 'realtime'
    | 'extractions'
    | 'rendered'
    | 'crw'
    | 'arrivals'
  serviceUrl: string
  apiKey: string
  together: number
  warmUpMs: number
  ms: number
  /** How many are to be answered, instead of a time. */
  count?: number
  /** For callbacks only; all of them by default. */
  receiverCount?: number
  /** By default the page of 64 KiB. */
  pagePath?: string
}

const answers: Record<Question['kind'], (question: Question) => Promise<unknown>> = {
  urls: async () => ({ originUrl, receiverUrls }),
  callbacks: measureCallbacks,
  latency: measureLatency,
  realtime: (question) => measureAnswers(question, '/api/scraper/scrape/realtime', {}),
  extractions: (question) => measureAnswers(question, '/v1/extract', { formats: ['markdown'] }),
  rendered: (question) =>
    measureAnswers(question, '/api/scraper/scrape/realtime', {
      configurations: { js_render: true },
    }),
  crw: (question) => measureAnswers(question, '/v1/scrape', { formats: ['markdown'] }),
  arrivals: awaitArrivals,
}
process.on('message', async (question: Question) => {
  process.send?.(await answers[question.kind](question))
})

/** Keeps this many tasks running: each callback that arrives submits another one. */
async function measureCallbacks(question: Question): Promise<Rates> {
  const pool = new Pool(question.serviceUrl, { connections: 16 })
  let arrived = 0
  let isOver = false
  const { receiverCount = receiverUrls.length, pagePath = '/page' } = question
  let submitted = 0
  const bodyOf = (number: number) =>
    JSON.stringify({
      url: uniqueUrl(pagePath),
      callbackUrl: `${receiverUrls[number % receiverCount]}/in`,
    })
  const submit = async () => {
    submitted += 1
    const answer = await pool.request({
      path: '/api/scraper/scrape/callback',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': question.apiKey },
      body: bodyOf(submitted),
    })
    await answer.body.dump()
    if (answer.statusCode === 202) return
    if (answer.statusCode !== 503) throw new Error(`Not accepted: ${answer.statusCode}`)
    // The service is overloaded after its pause.
    setTimeout(() => void submit(), 100)
  }
  let underWay = question.together
  let onDrained: () => void = () => undefined
  onArrival = (path) => {
    arrived += 1
    // Callbacks of the backlog count, but do not submit another task.
    if (path !== '/in') return
    if (!isOver) void submit()
    else {
      underWay -= 1
      if (underWay === 0) onDrained()
    }
  }
  await Promise.all(Array.from({ length: question.together }, submit))
  const [fetchedPerSecond, perSecond] = await Promise.all([
    countFor(question, () => asked),
    countFor(question, () => arrived),
  ])
  const drained = new Promise<void>((resolve) => {
    onDrained = resolve
  })
  isOver = true
  await drained
  await pool.close()
  return { perSecond, fetchedPerSecond, total: arrived }
}

let urls = 0
/** A page that nobody has asked for before, so that nothing comes from a cache. */
function uniqueUrl(pagePath: string): string {
  urls += 1
  return `${originUrl}${pagePath}?n=${urls}`
}

/** Waits until this many more callbacks have come than were counted by the last such call. */
async function awaitArrivals({ count = 0 }: Question): Promise<object> {
  await new Promise<void>((resolve) => {
    const check = () => void (arrivals - arrivalsBefore >= count && resolve())
    onArrival = check
    check()
  })
  arrivalsBefore = arrivals
  return {}
}

interface Rates {
  perSecond: number
  /** All of the question's, to divide the processor time by. */
  total: number
  fetchedPerSecond: number
}

/** Single tasks: the time until the target is requested, and from its response to the callback. */
async function measureLatency({ serviceUrl, apiKey }: Question): Promise<object> {
  const pool = new Pool(serviceUrl, { connections: 1 })
  const body = JSON.stringify({ url: `${originUrl}/page`, callbackUrl: `${receiverUrls[0]}/in` })
  const startMs: number[] = []
  const callbackMs: number[] = []
  for (let round = 0; round < latencyRounds; round += 1) {
    const asked = new Promise<number>((resolve) => {
      onAsked = () => resolve(performance.now())
    })
    const arrived = new Promise<number>((resolve) => {
      onArrival = () => resolve(performance.now())
    })
    const submittedAtMs = performance.now()
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey }
    const answer = await pool.request({
      path: '/api/scraper/scrape/callback',
      method: 'POST',
      headers,
      body,
    })
    await answer.body.dump()
    const askedAtMs = await asked
    startMs.push(askedAtMs - submittedAtMs)
    callbackMs.push((await arrived) - askedAtMs)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await pool.close()
  // The first ones are the warm-up.
  return { startMs: percentiles(startMs.slice(50)), callbackMs: percentiles(callbackMs.slice(50)) }
}

const latencyRounds = 400

function percentiles(values: number[]): { p50: number; p99: number } {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

/** Callers who each wait for the result before they ask again. */
async function measureAnswers(
  question: Question,
  path: string,
  options: object,
): Promise<Omit<Rates, 'fetchedPerSecond'>> {
  const pool = new Pool(question.serviceUrl, { connections: question.together })
  let asks = 0
  let answered = 0
  let isOver = false
  const ask = async () => {
    while (!isOver && asks < (question.count ?? Number.POSITIVE_INFINITY)) {
      asks += 1
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': question.apiKey },
        body: JSON.stringify({ url: uniqueUrl(question.pagePath ?? '/page'), ...options }),
      })
      await answer.body.dump({ limit: 10 * htmlBytes })
      if (answer.statusCode !== 200) throw new Error(`Not answered: ${answer.statusCode}`)
      answered += 1
    }
  }
  const callers = Array.from({ length: question.together }, ask)
  const perSecond = question.count ? Number.NaN : await countFor(question, () => answered)
  isOver = question.count === undefined
  await Promise.all(callers)
  await pool.close()
  return { perSecond, total: answered }
}

async function countFor({ warmUpMs, ms }: Question, count: () => number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, warmUpMs))
  const [before, startedAtMs] = [count(), performance.now()]
  await new Promise((resolve) => setTimeout(resolve, ms))
  return ((count() - before) * 1_000) / (performance.now() - startedAtMs)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The peers of an overloaded service: an origin, receivers, and callers who await callbacks. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'

const receiverCount = 8
const page = `<!doctype html><title>A page</title>${'<p>Some text of a page.</p>'.repeat(400)}`
const arrived = new Set<string>()
let arrivals = 0
let onArrival: (path: string) => void = () => undefined

const origin = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length }).end(page)
})
// Several receivers, since a destination gets at most ten concurrent deliveries.
const receivers = Array.from({ length: receiverCount }, () =>
  createServer((request, response) => {
    request.resume()
    request.once('end', () => {
      response.writeHead(200, { 'content-length': 0 }).end()
      arrivals += 1
      arrived.add(request.url ?? '')
      onArrival(request.url ?? '')
    })
  }),
)
for (const server of [origin, ...receivers]) server.keepAliveTimeout = 60_000
const urls = {
  originUrl: await listen(origin),
  receiverUrls: await Promise.all(receivers.map(listen)),
}

interface PeersQuestion {
  kind: 'urls' | 'peak' | 'arrivals' | 'missing'
  serviceUrl?: string
  apiKey?: string
  ms?: number
  paths?: string[]
}

const answers: Record<PeersQuestion['kind'], (question: PeersQuestion) => unknown> = {
  urls: () => urls,
  peak: measurePeak,
  arrivals: () => ({ arrivals }),
  missing: ({ paths = [] }) => ({ missing: paths.filter((path) => !arrived.has(path)) }),
}
process.on('message', async (question: PeersQuestion) => {
  process.send?.(await answers[question.kind](question))
})

const underWayMax = 64

/** The peak throughput: there is always slightly more work than the service can run. */
async function measurePeak({ serviceUrl = '', apiKey = '', ms = 0 }: PeersQuestion) {
  const pool = new Pool(serviceUrl, { connections: 16 })
  let [submitted, underWay, isOver] = [0, 0, false]
  const submit = async () => {
    submitted += 1
    underWay += 1
    const path = `/peak/${submitted}`
    const answer = await pool.request({
      path: '/api/scraper/scrape/callback',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        url: `${urls.originUrl}/page`,
        callbackUrl: `${urls.receiverUrls[submitted % receiverCount]}${path}`,
      }),
    })
    await answer.body.dump()
    if (answer.statusCode !== 202) throw new Error(`Not accepted: ${answer.statusCode}`)
  }
  const { promise: drained, resolve } = Promise.withResolvers<void>()
  onArrival = (path) => {
    if (!path.startsWith('/peak/')) return
    underWay -= 1
    if (!isOver) void submit()
    else if (underWay === 0) resolve()
  }
  await Promise.all(Array.from({ length: underWayMax }, submit))
  // The first second is the warm-up.
  await new Promise((wait) => setTimeout(wait, 1_000))
  const [before, startedAtMs] = [arrivals, performance.now()]
  await new Promise((wait) => setTimeout(wait, ms))
  const perSecond = ((arrivals - before) * 1_000) / (performance.now() - startedAtMs)
  isOver = true
  await drained
  await pool.close()
  return { perSecond }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

import autocannon from 'autocannon'
import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, password, startProgram, startTrawl, stopProgram } from './program.ts'

const burstSeconds = 1
const webhooksCount = 3

/** Requests per second compared with bare Fastify on the same bodies, each in its own process. */
export async function measureRequests(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const service = await startTrawl(resources)
  await createWebhooks(service.url)
  const bodies = await readBodies(service.url, ['/livez', '/v1/webhooks'])
  const bare = resources.adopt(
    await startProgram(['bare-fastify.ts', JSON.stringify(bodies)]),
    stopProgram,
  )

  const rows: BenchRow[] = []
  for (const { measure, path, headers } of cases) {
    rows.push(
      await compare(
        { measure, baselineName: 'bare Fastify, same body' },
        {
          ours: () => burst(`${service.url}${path}`, headers),
          bare: () => burst(`${bare.url}${path}`, headers),
        },
      ),
    )
  }
  rows.push(await measureBesideGuesses(service.url))
  return rows
}

const guessesPerSecond = 100

/** The same traffic with and without a concurrent password-guessing attack. */
async function measureBesideGuesses(url: string): Promise<BenchRow> {
  const list = () => burst(`${url}/v1/webhooks`, { 'x-api-key': apiKey })
  return await compare(
    {
      measure: `the same, API key, beside ${guessesPerSecond} wrong passwords a second`,
      baselineName: 'without them',
    },
    {
      bare: list,
      ours: async () => {
        const guessing = setInterval(() => void guess(url), 1000 / guessesPerSecond)
        try {
          return await list()
        } finally {
          clearInterval(guessing)
        }
      },
    },
  )
}

let guessCount = 0

async function guess(url: string): Promise<void> {
  const wrong = Buffer.from(`admin:wrong-${guessCount++}`).toString('base64')
  const answer = await fetch(`${url}/v1/webhooks`, { headers: { authorization: `Basic ${wrong}` } })
  await answer.body?.cancel()
}

const basic = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`

const cases: { measure: string; path: string; headers: Record<string, string> }[] = [
  { measure: 'GET /livez', path: '/livez', headers: {} },
  { measure: 'GET /v1/webhooks, API key', path: '/v1/webhooks', headers: { 'x-api-key': apiKey } },
  { measure: 'GET /v1/webhooks, Basic', path: '/v1/webhooks', headers: { authorization: basic } },
]

async function createWebhooks(url: string): Promise<void> {
  for (let made = 0; made < webhooksCount; made++) {
    await fetch(`${url}/v1/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `https://example.com/${made}`, event_type: 'extract_completed' }),
    })
  }
}

async function readBodies(url: string, paths: string[]): Promise<Record<string, unknown>> {
  const bodies = await Promise.all(
    paths.map((path) => fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } })),
  )
  const entries = bodies.map(async (answer, index) => [`GET ${paths[index]}`, await answer.json()])
  return Object.fromEntries(await Promise.all(entries))
}

async function burst(url: string, headers: Record<string, string>): Promise<number> {
  const load = { url, headers, connections: 64, duration: burstSeconds }
  const { requests, non2xx, errors } = await autocannon(load)
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} bad answers, ${errors} errors.`)
  return requests.average
}

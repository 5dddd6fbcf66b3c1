import autocannon from 'autocannon'
import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, startProgram, startTrawl, stopProgram } from './program.ts'

const queueMax = '10000000'
const path = '/api/scraper/scrape/callback'
const asked = JSON.stringify({
  url: 'http://127.0.0.1:9999/page',
  callbackUrl: 'http://127.0.0.1:9999/in',
})

/** Tasks accepted per second, each committed before its response, compared with bare Fastify. */
export async function measureAccepting(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  // No worker runs: only accepting is measured, and the queue limit is never reached.
  const service = await startTrawl(resources, {
    TRAWL_ROLES: 'api',
    TRAWL_QUEUE_MAX: queueMax,
    TRAWL_ACCOUNT_QUEUE_MAX: queueMax,
  })
  const body = await (await fetch(`${service.url}${path}`, { ...post, body: asked })).json()
  const bare = resources.adopt(
    await startProgram(['bare-fastify.ts', JSON.stringify({ [`POST ${path}`]: body })]),
    stopProgram,
  )
  return [
    await compare(
      { measure: '202 answers, committed, SQLite', baselineName: 'bare Fastify, same body' },
      { ours: () => burst(service.url), bare: () => burst(bare.url) },
    ),
  ]
}

const post = {
  method: 'POST' as const,
  headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
}

async function burst(url: string): Promise<number> {
  const load = { ...post, url: `${url}${path}`, body: asked, connections: 64, duration: 1 }
  const { requests, non2xx, errors } = await autocannon(load)
  if (non2xx + errors > 0) throw new Error(`${non2xx} bad answers, ${errors} errors.`)
  return requests.average
}

import { setTimeout as pause } from 'node:timers/promises'
import { apiKey, type Program, type RpcProcess } from './program.ts'
import type { Burst, Side } from './sides.ts'

const together = 8
const pageCount = 1_000
const pollMs = 20

export function crawlByTrawl(name: string, program: Program, siteUrl: string): Side {
  const call = callerOf(program)
  return {
    name,
    child: program.child,
    burst: () =>
      timed(async () => {
        const body = { url: `${siteUrl}/p/0`, depth: 10, limit: 10_000, formats: ['markdown'] }
        const { job_id } = await call('POST', '/v1/crawl', body)
        for (;;) {
          await pause(pollMs)
          const job = await call('GET', `/v1/crawl/${job_id}?page_size=1`)
          if (job['completed_at'] !== null) return Number(job['completed_pages'])
        }
      }),
  }
}

export function crawlByCrw(crw: Program & { name: string }, siteUrl: string): Side {
  const call = callerOf(crw)
  return {
    ...crw,
    burst: () =>
      timed(async () => {
        const body = { url: `${siteUrl}/p/0`, maxDepth: 10, limit: 10_000, formats: ['markdown'] }
        const { id } = await call('POST', '/v1/crawl', body)
        for (;;) {
          await pause(pollMs)
          const job = await call('GET', `/v1/crawl/${id}`)
          if (job['status'] === 'failed') throw new Error(JSON.stringify(job).slice(0, 500))
          if (job['status'] === 'completed') return Number(job['completed'])
        }
      }),
  }
}

export const crawlByCrawlee = (crawlee: RpcProcess, siteUrl: string): Side => ({
  name: 'Crawlee, without markdown',
  child: crawlee.child,
  async burst() {
    const done = await crawlee.call<Burst>({ siteUrl, together })
    assertAll(done.total)
    return done
  },
})

async function timed(crawl: () => Promise<number>): Promise<Burst> {
  const startedAtMs = performance.now()
  const total = await crawl()
  assertAll(total)
  return { perSecond: (total * 1_000) / (performance.now() - startedAtMs), total }
}

function assertAll(pages: number): void {
  if (pages !== pageCount) throw new Error(`${pages} pages were crawled.`)
}

const callerOf =
  ({ url }: Program) =>
  async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent, fetch } from 'undici'

/** An origin and receiver that responds to everything at once. */
export async function startOrigin(): Promise<{ url: string } & Disposable> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a page</p>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export interface CallerNeighbourReport {
  scrapes: number
  /** How often it was told to retry in a moment, and did: other processes may overload the machine. */
  refusals: number
  failures: string[]
  slowestMs: number
}

/** One address gets at most half of the connections, so the neighbour uses another address. */
const neighboursAddress = '127.0.0.2'

/** Scrapes one page after the other, whatever other callers do. */
export function startNeighbour(service: { url: string; apiKey: string; originUrl: string }): {
  stop(): Promise<CallerNeighbourReport>
} {
  const report: CallerNeighbourReport = { scrapes: 0, refusals: 0, failures: [], slowestMs: 0 }
  const dispatcher = new Agent({ connect: { localAddress: neighboursAddress } })
  let isStopping = false
  const scraping = scrapeOn()
  return {
    async stop() {
      isStopping = true
      await scraping
      await dispatcher.close()
      return report
    },
  }

  async function scrapeOn(): Promise<void> {
    do {
      const startedAtMs = performance.now()
      const seen = await scrapeWithRetry().catch((error) => String(error))
      report.scrapes += 1
      if (seen !== '200 <p>a page</p>') report.failures.push(seen)
      report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAtMs)
    } while (!isStopping)
  }

  async function scrapeWithRetry(): Promise<string> {
    const answer = await scrape()
    if (answer.status !== 503) return `${answer.status} ${await answer.text()}`
    report.refusals += 1
    await answer.text()
    await pause(Number(answer.headers.get('retry-after')) * 1_000)
    const second = await scrape()
    return `${second.status} ${await second.text()}`
  }

  function scrape() {
    return fetch(`${service.url}/api/scraper/scrape/realtime`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.apiKey },
      body: JSON.stringify({ url: `${service.originUrl}/page` }),
      signal: AbortSignal.timeout(20_000),
      dispatcher,
    })
  }
}

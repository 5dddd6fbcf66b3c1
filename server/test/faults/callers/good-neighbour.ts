import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  failures: string[]
  slowestMs: number
}

/** One address gets at most half of the connections, so the neighbour uses another address. */
const neighboursAddress = '127.0.0.2'

/** Scrapes one page after the other, whatever other callers do. */
export function startNeighbour(service: { url: string; apiKey: string; originUrl: string }): {
  stop(): Promise<CallerNeighbourReport>
} {
  const report: CallerNeighbourReport = { scrapes: 0, failures: [], slowestMs: 0 }
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
      const seen = await scrape().catch((error) => String(error))
      report.scrapes += 1
      if (seen !== '200 <p>a page</p>') report.failures.push(seen)
      report.slowestMs = Math.max(report.slowestMs, performance.now() - startedAtMs)
    } while (!isStopping)
  }

  async function scrape(): Promise<string> {
    const answer = await fetch(`${service.url}/api/scraper/scrape/realtime`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': service.apiKey },
      body: JSON.stringify({ url: `${service.originUrl}/page` }),
      signal: AbortSignal.timeout(20_000),
      dispatcher,
    })
    return `${answer.status} ${await answer.text()}`
  }
}

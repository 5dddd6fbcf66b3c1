import { setTimeout as pause } from 'node:timers/promises'
import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, startProgram, startRpcProcess, startTrawl, stopProgram } from './program.ts'

const together = 64
const rounds = 3
const pageCount = 1_000

/** A durable crawl of 1 000 pages, compared with a loop that fetches the pages and reads their links. */
export async function measureCrawls(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const site = resources.adopt(await startProgram(['crawl-site.ts']), stopProgram)
  const bare = resources.use(startRpcProcess('bare-crawler.ts'))
  const service = await startTrawl(resources, { TRAWL_CRAWL_HOST_CONCURRENCY: String(together) })
  const crawl = async (): Promise<number> => {
    const startedAtMs = performance.now()
    const body = { url: `${site.url}/p/0`, depth: 10, limit: 10_000, formats: ['html'] }
    const { job_id } = await callService(service.url, 'POST /v1/crawl', body)
    for (;;) {
      await pause(20)
      const path = `GET /v1/crawl/${job_id}?page_size=1`
      const { completed_at, completed_pages } = await callService(service.url, path)
      if (completed_at === null) continue
      if (completed_pages !== pageCount) throw new Error(`${completed_pages} pages were crawled.`)
      return (pageCount * 1_000) / (performance.now() - startedAtMs)
    }
  }
  const question = { siteUrl: site.url, seedPath: '/p/0', together }
  return [
    await compare(
      {
        measure: 'pages of a crawl of 1 000, accepted to completed, SQLite',
        baselineName: 'undici GET, parsed for links, in a loop',
      },
      {
        ours: crawl,
        bare: async () => (await bare.call<{ perSecond: number }>(question)).perSecond,
      },
      rounds,
    ),
  ]
}

interface CrawlAnswer {
  job_id: string
  completed_at: string | null
  completed_pages: number
}

async function callService(url: string, request: string, body?: object): Promise<CrawlAnswer> {
  const [method = '', path = ''] = request.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${request}: ${await response.text()}`)
  return (await response.json()) as CrawlAnswer
}

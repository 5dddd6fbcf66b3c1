import assert from 'node:assert/strict'
import type { TestAccount } from './test-service.ts'
import { until } from './until.ts'

export const crawlPath = '/v1/crawl'

interface CrawlBody {
  job_id: string
  status: string
  completed_at: string | null
  created_at: string
  total_pages: number
  completed_pages: number
  failed_pages: number
  cancelled_pages: number
  pending_pages: number
  frontier_pages: number
  crawl_config: object
  token_summary: object
  delivery: { status: string } | null
  results: CrawlBodyResult[]
  [field: string]: unknown
}

interface CrawlBodyResult {
  url: string
  parent_url: string | null
  depth: number
  status: string
  error_code: string | null
  error_reason: string | null
  links: string[]
  data: Record<string, string | null> | null
  metadata: { http_status: number } | null
}

/** Starts a crawl and returns its id. */
export async function startCrawl(
  account: Pick<TestAccount, 'call'>,
  body: object,
): Promise<string> {
  const response = await account.call(`POST ${crawlPath}`, body)
  assert.equal(response.statusCode, 202, response.text)
  return response.json().job_id
}

export async function getCrawl(account: Pick<TestAccount, 'call'>, id: string, query = '') {
  const response = await account.call(`GET ${crawlPath}/${id}${query}`)
  assert.equal(response.statusCode, 200, response.text)
  return response.json()
}

/** Waits for the end of a crawl and returns it with all its results. */
export async function untilCrawled(
  account: Pick<TestAccount, 'call'>,
  id: string,
  withinMs = 60_000,
): Promise<CrawlBody> {
  await until(async () => (await getCrawl(account, id, '?page_size=1')).completed_at !== null, {
    withinMs,
  })
  const body = await getCrawl(account, id)
  const results: CrawlBodyResult[] = []
  for (let page = 1; results.length < body.total_pages; page += 1) {
    const some = await getCrawl(account, id, `?page=${page}&page_size=50`)
    assert.ok(some.results.length > 0, 'Every page has results.')
    results.push(...some.results)
  }
  return { ...body, results }
}

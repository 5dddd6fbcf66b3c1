import type { Pool } from 'undici'

/** Options that load every resource from any origin, as the bare loop does. */
export const everything = {
  js_render: true,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}

/** Renders a page in realtime mode. */
export async function renderOnce(
  pool: Pool,
  { apiKey, url, configurations }: { apiKey: string; url: string; configurations: object },
): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/api/scraper/scrape/realtime',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ url, configurations }),
  })
  const text = await body.text()
  if (statusCode !== 200 || !text.includes('</html>')) {
    throw new Error(`Not rendered: ${statusCode} ${text.slice(0, 200)}`)
  }
}

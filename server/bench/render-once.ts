import type { Pool } from 'undici'

/** Has a page rendered in realtime mode, with everything that a bare loop would load. */
export async function renderOnce(
  pool: Pool,
  { apiKey, url }: { apiKey: string; url: string },
): Promise<void> {
  const { statusCode, body } = await pool.request({
    path: '/api/scraper/scrape/realtime',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({ url, configurations: { js_render: true, block_resources: false } }),
  })
  const text = await body.text()
  if (statusCode !== 200 || !text.includes('</html>')) {
    throw new Error(`Not rendered: ${statusCode} ${text.slice(0, 200)}`)
  }
}

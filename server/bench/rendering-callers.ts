/** Callers who wait for rendered pages. */
import { Pool } from 'undici'
import { rateOf } from './burst.ts'

interface Question {
  url: string
  serviceUrl: string
  apiKey: string
  together: number
  warmUpMs: number
  ms: number
}

process.on('message', async (question: Question) => {
  const pool = new Pool(question.serviceUrl, { connections: question.together })
  const perSecond = await rateOf(question, async () => {
    const { statusCode, body } = await pool.request({
      path: '/api/scraper/scrape/realtime',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': question.apiKey },
      body: JSON.stringify({
        url: question.url,
        // Everything that the bare loop loads is loaded.
        configurations: { js_render: true, block_resources: false },
      }),
    })
    const text = await body.text()
    if (statusCode !== 200 || !text.includes('</html>')) {
      throw new Error(`Not rendered: ${statusCode} ${text.slice(0, 200)}`)
    }
  })
  await pool.close()
  process.send?.({ perSecond })
})

/** Callers who wait for rendered pages. */
import { Pool } from 'undici'
import { rateOf } from './burst.ts'
import { renderOnce } from './render-once.ts'

interface Question {
  url: string
  serviceUrl: string
  apiKey: string
  configurations: object
  together: number
  warmUpMs: number
  ms: number
}

process.on('message', async (question: Question) => {
  const pool = new Pool(question.serviceUrl, { connections: question.together })
  const perSecond = await rateOf(question, () => renderOnce(pool, question))
  await pool.close()
  process.send?.({ perSecond })
})

/** Callers who submit at a fixed rate, whatever the service answers: it cannot slow them down. */
import { Pool } from 'undici'

interface LoadQuestion {
  serviceUrl: string
  apiKey: string
  originUrl: string
  receiverUrls: string[]
  perSecond: number
  ms: number
}

export interface LoadAnswer {
  sent: number
  byStatus: Record<string, number>
  /** Refusals that do not say when to come back. */
  withoutRetryAfter: number
  acceptedPaths: string[]
  p50Ms: number
  p99Ms: number
}

const tickMs = 10
const answerMsMax = 30_000

process.on('message', async (question: LoadQuestion) => {
  process.send?.(await run(question))
})

async function run(question: LoadQuestion): Promise<LoadAnswer> {
  const pool = new Pool(question.serviceUrl, { connections: 256, headersTimeout: answerMsMax })
  const latenciesMs: number[] = []
  const byStatus: Record<string, number> = {}
  const acceptedPaths: string[] = []
  let [sent, withoutRetryAfter] = [0, 0]
  const pending = new Set<Promise<void>>()
  const startedAtMs = performance.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = Math.min(performance.now() - startedAtMs, question.ms)
      // What a late tick missed is caught up with.
      while (sent < (elapsedMs / 1_000) * question.perSecond) {
        const submission = submit(sent++)
        pending.add(submission)
        void submission.finally(() => pending.delete(submission))
      }
      if (elapsedMs < question.ms) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  await Promise.all(pending)
  await pool.close()
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  return { sent, byStatus, withoutRetryAfter, acceptedPaths, p50Ms: at(0.5), p99Ms: at(0.99) }

  async function submit(number: number): Promise<void> {
    const path = `/over/${number}`
    const submittedAtMs = performance.now()
    const status = await ask(path, number).catch(() => 'unanswered')
    latenciesMs.push(performance.now() - submittedAtMs)
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status === '202') acceptedPaths.push(path)
  }

  async function ask(path: string, number: number): Promise<string> {
    const { originUrl, receiverUrls, apiKey } = question
    const { statusCode, headers, body } = await pool.request({
      path: '/api/scraper/scrape/callback',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        url: `${originUrl}/page`,
        callbackUrl: `${receiverUrls[number % receiverUrls.length]}${path}`,
      }),
    })
    await body.dump()
    if (statusCode !== 202 && headers['retry-after'] === undefined) withoutRetryAfter += 1
    return String(statusCode)
  }
}

/** Password guessers and callers with valid keys, in their own process so that rates are exact. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'

export interface AuthQuestion {
  kind: 'keys' | 'guesses' | 'timing'
  serviceUrl: string
  apiKey: string
  username: string
  ms: number
  perSecond: number
}

export interface CallersAnswer {
  byStatus: Record<string, number>
  p50Ms: number
  p99Ms: number
  /** The longest time for which the machine stalled the callers themselves. */
  stalledMs: number
}

export interface TimingAnswer {
  unknownMs: number
  wrongMs: number
}

const answers = { keys: useKeys, guesses: guess, timing: compareTiming }

process.on('message', async (question: AuthQuestion) => {
  process.send?.(await answers[question.kind](question))
})

const path = '/v1/webhooks'
const pauseMs = 5

/** Valid keys at a fixed rate. */
function useKeys(question: AuthQuestion): Promise<CallersAnswer> {
  return askOn(question, () => ({ 'x-api-key': question.apiKey }))
}

/** A new wrong password each time, with a forged X-Forwarded-For address. */
function guess(question: AuthQuestion): Promise<CallersAnswer> {
  return askOn(question, (number) => ({
    authorization: basicOf(question.username, `wrong-${randomUUID()}`),
    'x-forwarded-for': `198.51.100.${number % 250}`,
  }))
}

async function askOn(
  { serviceUrl, perSecond, ms }: AuthQuestion,
  headersOf: (number: number) => Record<string, string>,
): Promise<CallersAnswer> {
  const pool = new Pool(serviceUrl, { connections: 64 })
  const latenciesMs: number[] = []
  const byStatus: Record<string, number> = {}
  const pending: Promise<void>[] = []
  const startedAtMs = performance.now()
  let stalledMs = 0
  while (performance.now() - startedAtMs < ms) {
    const due = ((performance.now() - startedAtMs) / 1_000) * perSecond
    while (pending.length < due) pending.push(ask(pending.length))
    const pausedAtMs = performance.now()
    await pause(pauseMs)
    stalledMs = Math.max(stalledMs, performance.now() - pausedAtMs - pauseMs)
  }
  await Promise.all(pending)
  await pool.close()
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { byStatus, p50Ms: at(0.5), p99Ms: at(0.99), stalledMs }

  async function ask(number: number): Promise<void> {
    const askedAtMs = performance.now()
    const { statusCode, body } = await pool.request({
      path,
      method: 'GET',
      headers: headersOf(number),
    })
    await body.dump()
    latenciesMs.push(performance.now() - askedAtMs)
    byStatus[statusCode] = (byStatus[statusCode] ?? 0) + 1
  }
}

/** Alternates both users, so that other load on the machine affects both alike. */
async function compareTiming({ serviceUrl, username, ms }: AuthQuestion): Promise<TimingAnswer> {
  const pool = new Pool(serviceUrl, { connections: 1 })
  const unknownMs: number[] = []
  const wrongMs: number[] = []
  const startedAtMs = performance.now()
  for (let round = 0; performance.now() - startedAtMs < ms; round += 1) {
    unknownMs.push(await timed(`nobody-${round}`, `wrong-${round}`))
    wrongMs.push(await timed(username, `timing-${round}`))
  }
  await pool.close()
  return { unknownMs: trimmedMean(unknownMs), wrongMs: trimmedMean(wrongMs) }

  async function timed(name: string, password: string): Promise<number> {
    const askedAtMs = performance.now()
    const headers = { authorization: basicOf(name, password) }
    const { body } = await pool.request({ path, method: 'GET', headers })
    await body.dump()
    return performance.now() - askedAtMs
  }
}

/** The mean of the middle half: a stall of the machine is not a property of the service. */
function trimmedMean(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.slice(Math.floor(sorted.length / 4), Math.ceil((sorted.length * 3) / 4))
  return middle.reduce((sum, value) => sum + value, 0) / Math.max(1, middle.length)
}

const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

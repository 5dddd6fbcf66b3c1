import { setTimeout as pause } from 'node:timers/promises'
import type { LedgerEntry } from '../ledger/ledger-load.ts'
import type { CallingOptions } from './world-commands.ts'

/** A request that was not accepted at once. */
export interface FailedCall {
  isPolite: boolean
  serviceUrl: string
  /** When it was sent, and its outcome. */
  sentAtMs: number
  outcome: string
  /** How old the caller's knowledge was by then that the service is ready. */
  readinessAgeMs: number
}

export interface Callers {
  readonly entries: LedgerEntry[]
  readonly failedCalls: FailedCall[]
  stop(): Promise<number>
}

const readinessEveryMs = 100

/** Submits each task under one idempotency key until it is accepted. */
export function startCallers(
  options: CallingOptions & {
    bodyOf(nonce: string): string
    nowMs(): number
  },
): Callers {
  const { serviceUrls, nowMs } = options
  const entries: LedgerEntry[] = []
  const failedCalls: FailedCall[] = []
  /** When the services were last asked that said they are ready. */
  const readyAtMs = new Map<string, number>()
  let isStopping = false
  let calledCount = 0
  const watching = serviceUrls.map(watch)
  const callers = Array.from({ length: options.politeCount + options.bluntCount }, (_, index) =>
    call(index < options.politeCount),
  )
  return {
    entries,
    failedCalls,
    async stop() {
      isStopping = true
      await Promise.all(callers)
      await Promise.all(watching)
      return entries.length
    },
  }

  async function watch(serviceUrl: string): Promise<void> {
    while (!isStopping || entries.some(({ requestId }) => requestId === undefined)) {
      const askedAtMs = nowMs()
      const answer = await fetch(`${serviceUrl}/readyz`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
      if (answer?.status === 200) readyAtMs.set(serviceUrl, askedAtMs)
      else readyAtMs.delete(serviceUrl)
      await pause(readinessEveryMs)
    }
  }

  async function call(isPolite: boolean): Promise<void> {
    while (!isStopping) {
      const entry: LedgerEntry = { nonce: `call-${entries.length}`, requestId: undefined }
      entries.push(entry)
      while (entry.requestId === undefined) {
        const among = isPolite ? [...readyAtMs.keys()] : serviceUrls
        calledCount += 1
        const serviceUrl = among[calledCount % among.length]
        if (serviceUrl) entry.requestId = await submit(entry.nonce, serviceUrl, isPolite)
        if (entry.requestId === undefined) await pause(50)
      }
      await pause(options.pauseMs)
    }
  }

  async function submit(
    nonce: string,
    serviceUrl: string,
    isPolite: boolean,
  ): Promise<string | undefined> {
    const sentAtMs = nowMs()
    const knownAtMs = readyAtMs.get(serviceUrl) ?? Number.NEGATIVE_INFINITY
    const fail = (outcome: string) => {
      const readinessAgeMs = nowMs() - knownAtMs
      failedCalls.push({ isPolite, serviceUrl, sentAtMs, outcome, readinessAgeMs })
    }
    try {
      const answer = await fetch(`${serviceUrl}/api/scraper/scrape/callback`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': options.apiKey,
          'idempotency-key': nonce,
        },
        body: options.bodyOf(nonce),
        signal: AbortSignal.timeout(30_000),
      })
      const body = (await answer.json()) as { requestId?: string; code?: string }
      if (answer.status === 202) return body.requestId
      if (!overloadCodes.has(body.code ?? '')) fail(`${answer.status} ${body.code}`)
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      fail(cause?.code ?? String(error))
    }
    return undefined
  }
}

/** A busy machine may have a service say so; that has nothing to do with its stopping. */
const overloadCodes = new Set(['OVERLOADED', 'STORE_UNAVAILABLE', 'STORE_FULL'])

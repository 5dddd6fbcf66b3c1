import { setTimeout as pause } from 'node:timers/promises'

/** A submitted task, with its id once it is known to be accepted. */
export interface LedgerEntry {
  nonce: string
  requestId: string | undefined
}

/** How one request ended. */
export interface LedgerResponse {
  startedAtMs: number
  endedAtMs: number
  /** Undefined if there was no response. */
  status: number | undefined
  retryAfter: string | null
}

/** Disposed of before `stop`, it leaves undecided whether the last tasks were accepted. */
export interface LedgerLoad extends AsyncDisposable {
  readonly entries: LedgerEntry[]
  readonly acceptedCount: () => number
  stop(): Promise<void>
}

const callersTogether = 8

/** Callers who submit task after task; without a response they retry under the same key. */
export function startLoad(options: {
  serviceUrl: () => string
  apiKey: string
  originUrl: string
  receiverUrls: readonly string[]
  pauseMs: number
  seed: number
  /** The request ids of what has arrived. Nothing is submitted while this many accepted tasks have not. */
  taken: ReadonlySet<string>
  outstandingMax?: number
  onAnswer?(answer: LedgerResponse): void
}): LedgerLoad {
  const { outstandingMax = Number.POSITIVE_INFINITY } = options
  const entries: LedgerEntry[] = []
  let accepted = 0
  let isStopping = false
  let isAbandoned = false
  const callers = Array.from({ length: callersTogether }, call)
  return {
    entries,
    acceptedCount: () => accepted,
    async stop() {
      isStopping = true
      await Promise.all(callers)
    },
    async [Symbol.asyncDispose]() {
      isAbandoned = true
      await this.stop()
    },
  }

  async function call(): Promise<void> {
    while (!isStopping) {
      if (accepted - options.taken.size >= outstandingMax) {
        await pause(options.pauseMs)
        continue
      }
      const entry: LedgerEntry = {
        nonce: `n-${options.seed}-${entries.length}`,
        requestId: undefined,
      }
      entries.push(entry)
      const callbackUrl = `${options.receiverUrls[entries.length % options.receiverUrls.length]}/in`
      while (entry.requestId === undefined && !isAbandoned) {
        entry.requestId = await submit(entry.nonce, callbackUrl)
      }
      accepted += 1
      await pause(options.pauseMs)
    }
  }

  /** Undefined while it is unknown whether the task was accepted. */
  async function submit(nonce: string, callbackUrl: string): Promise<string | undefined> {
    const startedAtMs = performance.now()
    const note = (status: number | undefined, retryAfter: string | null) =>
      options.onAnswer?.({ startedAtMs, endedAtMs: performance.now(), status, retryAfter })
    try {
      const answer = await fetch(`${options.serviceUrl()}/api/scraper/scrape/callback`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': options.apiKey,
          'idempotency-key': nonce,
        },
        body: JSON.stringify({
          url: `${options.originUrl}/${nonce}`,
          callbackUrl,
          metadata: { nonce },
        }),
        signal: AbortSignal.timeout(10_000),
      })
      const body = (await answer.json()) as { requestId?: string }
      note(answer.status, answer.headers.get('retry-after'))
      if (answer.status === 202 && body.requestId) return body.requestId
    } catch {
      note(undefined, null)
      // The task may have been accepted; the idempotency key makes the retry safe.
    }
    await pause(100)
    return undefined
  }
}

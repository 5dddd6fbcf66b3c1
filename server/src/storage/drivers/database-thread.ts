import assert from 'node:assert/strict'
import { Worker } from 'node:worker_threads'
import type { Log } from '../../runtime/log.ts'
import type { StoreStatistics } from '../database.ts'
import { storeUnavailable } from '../outages/store-unavailable.ts'
import type {
  Batch,
  Call,
  CallResponse,
  GroupResponse,
  SqliteThreadOptions,
} from './sqlite-messages.ts'

interface CallTerms {
  readonly deadlineMs: number
  readonly isBulk: boolean
}

interface PendingCall extends CallTerms {
  readonly call: Call
  resolve(response: CallResponse): void
  reject(error: Error): void
}

interface SentBatch {
  readonly calls: readonly PendingCall[]
  readonly timer: NodeJS.Timeout
  readonly sentAtMs: number
}

// Far more than a healthy store ever has waiting. Beyond it calls fail at once (backpressure).
const pendingCallsMax = 50_000

/**
 * The client of a database thread: sends the calls of one turn of the event loop as one message,
 * enforces their deadlines, and restarts the thread after it has died.
 */
export class DatabaseThread {
  readonly #options: SqliteThreadOptions
  readonly #name: string
  readonly #textOf: (number: number) => string
  readonly #log: Log
  readonly #sent = new Map<number, SentBatch>()
  #worker: Worker | undefined
  #textsSent = new Set<number>()
  #gathered: PendingCall[] = []
  #pendingCount = 0
  #batchCount = 0
  #isClosed = false
  #statistics: StoreStatistics = { commits: 0, statements: 0 }
  #endedThreads: StoreStatistics = { commits: 0, statements: 0 }

  constructor(
    options: SqliteThreadOptions,
    { textOf, log }: { textOf: (number: number) => string; log: Log },
  ) {
    this.#options = options
    this.#name = options.isReader ? 'database reader' : 'database'
    this.#textOf = textOf
    this.#log = log
  }

  /** Rejects only if the thread did not respond; a response may be an error. */
  call(call: Call, terms: CallTerms): Promise<CallResponse> {
    if (this.#isClosed) return Promise.reject(storeUnavailable('The store is closed.'))
    if (this.#pendingCount >= pendingCallsMax) {
      return Promise.reject(storeUnavailable('Too many calls are waiting for the store.'))
    }
    this.#pendingCount += 1
    return new Promise((resolve, reject) => {
      if (this.#gathered.length === 0) setImmediate(() => this.#send())
      this.#gathered.push({ call, ...terms, resolve, reject })
    })
  }

  statistics(): StoreStatistics {
    return addStatistics(this.#endedThreads, this.#statistics)
  }

  longestWaitMs(): number {
    // A map keeps insertion order.
    const [oldest] = this.#sent.values()
    return oldest ? performance.now() - oldest.sentAtMs : 0
  }

  /** Graceful shutdown: the thread finishes the calls it has received. */
  async close(): Promise<void> {
    this.#send()
    this.#isClosed = true
    const worker = this.#worker
    if (!worker) return
    const { promise, resolve } = Promise.withResolvers<void>()
    worker.once('exit', () => resolve())
    worker.postMessage('close')
    const timer = setTimeout(() => void worker.terminate(), this.#options.busyTimeoutMs * 2)
    await promise
    clearTimeout(timer)
  }

  #send(): void {
    const gathered = this.#gathered
    this.#gathered = []
    const { bulk = [], others = [] } = Object.groupBy(gathered, ({ isBulk }) =>
      isBulk ? 'bulk' : 'others',
    )
    for (const [deadlineMs, calls] of Map.groupBy(others, (pending) => pending.deadlineMs)) {
      this.#sendBatch(calls, { deadlineMs, isBulk: false })
    }
    for (const pending of bulk) this.#sendBatch([pending], pending)
  }

  #sendBatch(calls: readonly PendingCall[], { deadlineMs, isBulk }: CallTerms): void {
    this.#worker ??= this.#start()
    this.#batchCount += 1
    const number = this.#batchCount
    const batch: Batch = {
      number,
      newTexts: this.#newTextsOf(calls),
      calls: calls.map(({ call }) => call),
      isBulk,
      expiresAtNs: process.hrtime.bigint() + BigInt(Math.round(deadlineMs * 1e6)),
    }
    const timer = setTimeout(() => this.#expire(number, deadlineMs), deadlineMs)
    this.#sent.set(number, { calls, timer, sentAtMs: performance.now() })
    this.#worker.postMessage(batch, buffersOf(calls))
  }

  #newTextsOf(calls: readonly PendingCall[]): [number: number, sql: string][] {
    const newTexts: [number, string][] = []
    for (const { call } of calls) {
      for (const { text } of call) {
        if (typeof text === 'string' || this.#textsSent.has(text)) continue
        this.#textsSent.add(text)
        newTexts.push([text, this.#textOf(text)])
      }
    }
    return newTexts
  }

  #start(): Worker {
    const file = new URL('./sqlite-thread.ts', import.meta.url)
    const worker = new Worker(file, {
      name: this.#name,
      workerData: this.#options,
      execArgv: [],
      // Rows are short-lived garbage; with its default V8 would let many megabytes pile up.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    this.#textsSent = new Set()
    worker.on('message', (message: GroupResponse | object) => {
      // Under `node --watch` the runtime reports imports on the same port.
      if ('batches' in message) this.#handleResponse(message)
    })
    worker.on('error', (error) =>
      this.#log.error(
        { err: error },
        `The thread "${this.#name}" crashed; the next call restarts it.`,
      ),
    )
    worker.on('exit', () => this.#handleExit())
    return worker
  }

  #handleResponse({ batches, commits, statements }: GroupResponse): void {
    this.#statistics = { commits, statements }
    for (const [number, responses] of batches) {
      for (const [index, pending] of this.#finish(number).entries()) {
        const response = responses[index]
        assert(response)
        pending.resolve(response)
      }
    }
  }

  #handleExit(): void {
    this.#worker = undefined
    this.#endedThreads = this.statistics()
    this.#statistics = { commits: 0, statements: 0 }
    this.#failSent(`The thread "${this.#name}" ended.`)
  }

  #expire(number: number, deadlineMs: number): void {
    const failure = storeUnavailable(`The store did not answer within ${deadlineMs} ms.`)
    for (const pending of this.#finish(number)) pending.reject(failure)
  }

  #failSent(message: string): void {
    for (const number of [...this.#sent.keys()]) {
      for (const pending of this.#finish(number)) pending.reject(storeUnavailable(message))
    }
  }

  #finish(number: number): readonly PendingCall[] {
    const sent = this.#sent.get(number)
    if (!sent) return []
    this.#sent.delete(number)
    clearTimeout(sent.timer)
    this.#pendingCount -= sent.calls.length
    return sent.calls
  }
}

function buffersOf(calls: readonly PendingCall[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = []
  for (const { call } of calls) {
    for (const { values } of call) {
      for (const value of values) {
        if (value instanceof Uint8Array) buffers.push(value.buffer as ArrayBuffer)
      }
    }
  }
  return buffers
}

export const addStatistics = (one: StoreStatistics, other: StoreStatistics): StoreStatistics => ({
  commits: one.commits + other.commits,
  statements: one.statements + other.statements,
})

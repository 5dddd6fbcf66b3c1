import { Worker } from 'node:worker_threads'
import { Failure } from '../../domain/failure.ts'
import { compileCacheEnvironment } from '../../runtime/compile-cache.ts'
import type { MasterKeys } from '../../runtime/crypto/seal.ts'
import type { Log } from '../../runtime/log.ts'
import type { MatchJob } from './match-urls.ts'

export interface NumberedJob {
  number: number
  job: MatchJob
}

interface MatchReply {
  number: number
  ids: string[]
}

/** Matches rows in a thread, as decrypting thousands of them would block the event loop. */
export class UrlMatcher implements AsyncDisposable {
  readonly #keys: MasterKeys
  readonly #log: Log
  readonly #pending = new Map<number, PromiseWithResolvers<string[]>>()
  #worker: Worker | undefined
  #count = 0
  #isClosed = false

  constructor({ keys, log }: { keys: MasterKeys; log: Log }) {
    this.#keys = keys
    this.#log = log
  }

  /** The ids of the rows whose URL contains the part. */
  match(job: MatchJob): Promise<string[]> {
    if (this.#isClosed) return Promise.reject(stopping())
    this.#worker ??= this.#start()
    this.#count += 1
    const reply = Promise.withResolvers<string[]>()
    this.#pending.set(this.#count, reply)
    this.#worker.postMessage({ number: this.#count, job } satisfies NumberedJob)
    return reply.promise
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const { newest, previous } = this.#keys
    const worker = new Worker(new URL('./url-match-thread.ts', import.meta.url), {
      name: 'url search',
      workerData: { newest, previous },
      execArgv: [],
      env: compileCacheEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    // A search that waits for it keeps the process alive by its connection.
    worker.unref()
    worker.on('message', (message: MatchReply | object) => {
      // Under `node --watch` Node reports imports on the same port.
      if (!('ids' in message)) return
      this.#pending.get(message.number)?.resolve(message.ids)
      this.#pending.delete(message.number)
    })
    worker.on('error', (error) =>
      this.#log.error(
        { err: error },
        'The thread for searching died; the next search restarts it.',
      ),
    )
    worker.on('exit', () => this.#rejectAll())
    return worker
  }

  #rejectAll(): void {
    this.#worker = undefined
    const error = this.#isClosed ? stopping() : new Error('The thread for searching ended.')
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

const stopping = () => new Failure('SHUTTING_DOWN', 'This process is stopping.')

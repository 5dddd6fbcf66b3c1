import assert from 'node:assert/strict'
import type { Failure } from '../domain/failure.ts'
import type { Log } from '../runtime/log.ts'
import type { Content, PresentFault, PresentJob } from './present.ts'

/** A thread or process that presents one page at a time. */
export interface ContentWorker {
  /** False once it has exited or is being ended: it takes no further page. */
  readonly isUsable: boolean
  /** An aborted signal means that nobody waits any more: the worker is soon ended if it does not reply. */
  present(job: PresentJob, signal: AbortSignal | undefined): Promise<WorkerReply>
  end(): Promise<void>
}

/** `hasDied`: the page took too long or too much, so the worker is gone. */
export type WorkerReply = Content | (PresentFault & { hasDied?: true })

/** Messages to a worker: a thread's port or a process's channel. */
export interface JobTransport {
  post(job: PresentJob): void
  end(): Promise<void>
}

export interface TransportEvents {
  onReply(reply: Content | PresentFault): void
  /** The worker has exited; `failure` says why, where that is known. */
  onExit(failure?: Pick<Failure, 'code' | 'message'>): void
}

export interface ContentWorkerOptions {
  log: Log
  /** The time limit of one page. */
  jobMs: number
  onExit(): void
}

export function startContentWorker(
  startTransport: (events: TransportEvents) => JobTransport,
  { log, jobMs, onExit }: ContentWorkerOptions,
): ContentWorker {
  let isUsable = true
  let resolve: ((reply: WorkerReply) => void) | undefined
  /** Why it is being ended. */
  let reason: Pick<Failure, 'code' | 'message'> | undefined

  const transport = startTransport({
    onReply(reply) {
      assert(resolve, 'Every reply belongs to a page.')
      resolve(reply)
    },
    onExit(failure = unexplained) {
      isUsable = false
      if (resolve && !reason) log.warn('A content worker died on a page; a new one is started.')
      const { code, message } = reason ?? failure
      resolve?.({ code, message, detail: undefined, hasDied: true })
      onExit()
    },
  })

  return {
    get isUsable() {
      return isUsable
    },
    async present(job, signal) {
      const replied = Promise.withResolvers<WorkerReply>()
      resolve = replied.resolve
      let timer = setTimeout(endLate, jobMs)
      const abandon = () => {
        clearTimeout(timer)
        timer = setTimeout(endAbandoned, abandonedJobMs)
      }
      signal?.addEventListener('abort', abandon, { once: true })
      if (signal?.aborted) abandon()
      transport.post(job)
      const reply = await replied.promise
      resolve = undefined
      clearTimeout(timer)
      signal?.removeEventListener('abort', abandon)
      return reply
    },
    end: () => transport.end(),
  }

  function endLate(): void {
    log.warn('A page took too long to present; its content worker is replaced.')
    endFor({
      code: 'CONTENT_TOO_COMPLEX',
      message: `The response could not be converted within ${jobMs} ms.`,
    })
  }

  function endAbandoned(): void {
    log.debug('A content worker is replaced, since nobody waits for its page any more.')
    endFor(unexplained)
  }

  function endFor(why: Pick<Failure, 'code' | 'message'>): void {
    isUsable = false
    reason = why
    void transport.end()
  }
}

// Most abandoned pages end within this time, and replacing their worker takes as long.
const abandonedJobMs = 100

const unexplained = { code: 'INTERNAL_ERROR', message: 'The page could not be presented.' } as const

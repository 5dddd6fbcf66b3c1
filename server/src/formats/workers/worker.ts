import assert from 'node:assert/strict'
import type { Failure } from '../../domain/failure.ts'
import type { Log } from '../../runtime/log.ts'
import type { Content, PageToPresent, PresentFault } from '../present.ts'

/** A thread or process that presents one page at a time. */
export interface ContentWorker {
  /** False once it has exited or is being ended: it takes no further page. */
  readonly isUsable: boolean
  present(page: PageToPresent, turn: PageTurn): Promise<WorkerReply>
  end(): Promise<void>
}

export interface PageTurn {
  /** The time limit of the page runs from here, with whichever worker it is. */
  startedAtMs: number
  /** An aborted signal means that nobody waits any more: the worker is soon ended if it does not reply. */
  signal: AbortSignal | undefined
}

/** `hasDied`: the worker is gone, as the page took too long or too much, or for no fault of the page. */
export type WorkerReply =
  | Content
  | (PresentFault & { hasDied?: 'by its page' | 'for no known fault' })

/** Messages to a worker: a thread's port or a process's channel. */
export interface PageTransport {
  post(page: PageToPresent): void
  end(): Promise<void>
}

export interface TransportEvents {
  onReply(reply: Content | PresentFault): void
  onExit(exit: WorkerExit): void
}

interface WorkerExit {
  /** What the page fails with. */
  failure: Pick<Failure, 'code' | 'message'>
  /** False where the worker may have been killed from outside, as by the kernel for another's memory. */
  isByPage: boolean
}

export interface ContentWorkerOptions {
  log: Log
  /** The time limit of one page. */
  pageMs: number
  onExit(): void
}

export function startWorker(
  startTransport: (events: TransportEvents) => PageTransport,
  { log, pageMs, onExit }: ContentWorkerOptions,
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
    onExit({ failure, isByPage }) {
      isUsable = false
      const hasDied = reason || isByPage ? 'by its page' : 'for no known fault'
      if (resolve && !reason) log.warn(deathNotes[hasDied])
      const { code, message } = reason ?? failure
      resolve?.({ code, message, detail: undefined, hasDied })
      onExit()
    },
  })

  return {
    get isUsable() {
      return isUsable
    },
    async present(page, { startedAtMs, signal }) {
      const replied = Promise.withResolvers<WorkerReply>()
      resolve = replied.resolve
      let timer = setTimeout(endLate, Math.max(0, startedAtMs + pageMs - performance.now()))
      const abandon = () => {
        clearTimeout(timer)
        timer = setTimeout(endAbandoned, abandonedPageMs)
      }
      signal?.addEventListener('abort', abandon, { once: true })
      if (signal?.aborted) abandon()
      transport.post(page)
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
      message: `The response could not be converted within ${pageMs} ms.`,
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
const abandonedPageMs = 100

const deathNotes = {
  'by its page': 'A content worker died of its page; a new one is started.',
  'for no known fault':
    'A content worker ended for no fault of its page, as where the kernel kills it for lack of memory; a new one is started.',
}

export const tooMuchMemory = {
  code: 'RESPONSE_TOO_LARGE',
  message: 'The response takes too much memory to process.',
} as const

export const unexplained = {
  code: 'INTERNAL_ERROR',
  message: 'The page could not be presented.',
} as const

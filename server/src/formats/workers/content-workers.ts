/**
 * The worker pools that present pages (`present.ts`) outside the event loop, because a hostile page can
 * make it take long: threads, and processes for what may fill a heap.
 */
import { Failure } from '../../domain/failure.ts'
import { withDeadline } from '../../runtime/deadline.ts'
import type { Log } from '../../runtime/log.ts'
import type { Content, PageToPresent } from '../present.ts'
import { presentSmall } from '../present-small.ts'
import {
  type PageTransport,
  startWorker,
  type TransportEvents,
  type WorkerReply,
} from './worker.ts'
import { createWorkerPool, type PresentCaller, type WorkerPool } from './worker-pool.ts'
import { startWorkerProcess } from './worker-process.ts'
import { startWorkerThread } from './worker-thread.ts'

export interface ContentWorkers extends AsyncDisposable {
  /**
   * Does not change the page's body; the caller must not detach it before this has settled. When the
   * caller's signal is aborted it rejects with the reason, and the page soon stops delaying others.
   */
  present(page: PageToPresent, caller: PresentCaller): Promise<Content>
}

export interface ContentWorkersOptions {
  /** How many threads there are at most, and processes of each kind of which there are several. */
  count: number
  log: Log
  /** How long one page may take. */
  pageMs?: number
  /** How long one page may take in the minifier, before the page is returned without minifying. */
  minifyMs?: number
  /** How long a PDF may take to read. */
  pdfMs?: number
}

export function startContentWorkers(options: ContentWorkersOptions): ContentWorkers {
  const { log } = options
  const pools = createPools(options)

  return {
    async present(page, caller) {
      caller.signal?.throwIfAborted()
      return (
        presentSmall(page) ??
        withDeadline(
          () => presentIn(mayFillHeap(page) ? { ...page, isInProcess: true } : page, caller),
          { ms: Number.POSITIVE_INFINITY, signal: caller.signal },
        )
      )
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(pools).map((pool) => pool[Symbol.asyncDispose]()))
    },
  }

  async function presentIn(page: PageToPresent, caller: PresentCaller): Promise<Content> {
    const reply = await pools[poolFor(page)].present(page, caller)
    if ('kind' in reply) return reply
    const otherWay = findOtherWay(page, reply)
    if (otherWay) return presentIn(otherWay, caller)
    if (reply.detail !== undefined) {
      log.error({ detail: reply.detail }, 'A page could not be presented.')
    }
    throw page.mayBePdf && reply.hasDied ? pdfTooComplex() : new Failure(reply.code, reply.message)
  }
}

/** How else a page can be presented that could not be presented in one way. */
function findOtherWay(
  page: PageToPresent,
  { needsProcess, hasDied }: Exclude<WorkerReply, Content>,
): PageToPresent | undefined {
  if (needsProcess) return { ...page, isInProcess: true }
  // A page that the minifier cannot process is returned without minifying.
  const isMinified = page.minify?.useMinifier && !page.mayBePdf
  return hasDied && isMinified ? { ...page, minify: undefined } : undefined
}

/** However small the page is: with a caller's rules, or where its markdown is rendered. */
const mayFillHeap = ({ extract, preview }: PageToPresent): boolean =>
  extract?.rules !== undefined || preview === 'markdown'

type PoolName = ReturnType<typeof poolFor>

function poolFor(page: PageToPresent) {
  if (page.mayBePdf) return 'pdfReaders'
  if (page.preview === 'markdown') return 'previews'
  if (page.extract?.rules) return 'ruledPages'
  if (page.isInProcess) return 'largePages'
  return page.minify?.useMinifier ? 'minifiers' : 'threads'
}

function createPools({
  count,
  log,
  pageMs = 30_000,
  minifyMs = 10_000,
  pdfMs = 30_000,
}: ContentWorkersOptions): Record<PoolName, WorkerPool> {
  const pool = (countMax: number, startTransport: StartTransport, ms: number, keptCount = 0) =>
    createWorkerPool({
      count: countMax,
      keptCount,
      start: (onExit) => startWorker(startTransport, { log, pageMs: ms, onExit }),
    })
  return {
    threads: pool(count, (events) => startWorkerThread(events, log), pageMs, count),
    minifiers: pool(count, startWorkerProcess, minifyMs),
    // One at a time: a process may take a gigabyte before it is ended.
    pdfReaders: pool(1, startWorkerProcess, pdfMs),
    largePages: pool(1, startWorkerProcess, pageMs),
    ruledPages: pool(count, startWorkerProcess, pageMs),
    // Apart, so that who looks at hostile pages does not delay who scrapes.
    previews: pool(1, startWorkerProcess, pageMs),
  }
}

type StartTransport = (events: TransportEvents) => PageTransport

const pdfTooComplex = (): Failure =>
  new Failure('CONTENT_TOO_COMPLEX', 'The PDF takes too much time or memory to be read.')

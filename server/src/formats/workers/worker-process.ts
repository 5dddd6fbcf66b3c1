import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCacheEnvironment } from '../../runtime/compile-cache.ts'
import type { Content, PresentFault } from '../present.ts'
import { type PageTransport, type TransportEvents, tooMuchMemory } from './worker.ts'

/**
 * For minifying, PDFs, large pages, callers' rules and previews: some files fill any heap, and where a
 * heap overflows inside a built-in function the whole process dies, not only the thread.
 */
export function startWorkerProcess({ onReply, onExit }: TransportEvents): PageTransport {
  const child = fork(fileURLToPath(new URL('./worker-process-main.ts', import.meta.url)), {
    execArgv: [],
    env: compileCacheEnvironment(),
    // Node's message about a full heap must not appear between our log lines.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
  let hasReportedExit = false
  child.on('message', (reply: Content | PresentFault) => {
    // The bytes are a view into a larger buffer; a copy lets that be freed.
    onReply('kind' in reply ? { ...reply, bytes: new Uint8Array(reply.bytes) } : reply)
  })
  const closed = Promise.withResolvers<void>()
  child.on('close', (code, signal) => reportExit(hasPageEnded(code, signal)))
  child.on('error', () => {
    // A process that could not be started emits no `close`.
    if (!child.kill('SIGKILL')) reportExit(false)
  })

  return {
    post(page) {
      child.send(page, () => {})
    },
    async end() {
      child.kill('SIGKILL')
      await closed.promise
    },
  }

  function reportExit(isByPage: boolean): void {
    closed.resolve()
    if (!hasReportedExit) onExit({ failure: tooMuchMemory, isByPage })
    hasReportedExit = true
  }
}

/**
 * A process whose memory is used up exits by itself, or V8 aborts it: with SIGABRT where the heap is
 * full, with SIGTRAP where an array would grow too long. Any other signal comes from outside.
 */
const hasPageEnded = (code: number | null, signal: NodeJS.Signals | null): boolean =>
  code !== null || signal === 'SIGABRT' || signal === 'SIGTRAP'

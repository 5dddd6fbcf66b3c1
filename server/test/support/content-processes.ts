import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { TestContext } from 'node:test'

/** A process that this one started to present pages. */
export interface ContentProcess {
  /** How many pages it was given. */
  readonly pagesCount: number
  /** Stops it for good: it presents nothing any more, until it is killed. */
  stop(): void
}

/** The processes that this one starts from now on, in order. */
export function watchContentProcesses(t: TestContext): ContentProcess[] {
  const processes: ContentProcess[] = []
  const note = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process
    let pagesCount = 0
    let send: ChildProcess['send']
    // Node sets the method when it opens the channel, after this.
    Object.defineProperty(child, 'send', {
      get: () => (page: object, onSent: (error: Error | null) => void) => {
        pagesCount += 1
        return send.call(child, page, undefined, undefined, onSent)
      },
      set: (method: ChildProcess['send']) => {
        send = method
      },
    })
    processes.push({
      get pagesCount() {
        return pagesCount
      },
      stop: () => void child.kill('SIGSTOP'),
    })
  }
  subscribe('child_process', note)
  t.after(() => unsubscribe('child_process', note))
  return processes
}

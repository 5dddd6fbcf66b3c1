import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: object) => void) | undefined

/**
 * Frees the memory that nothing uses any more, and gives it back to the system. It blocks the thread: for
 * some milliseconds after a large page, for a tenth of a second on the main thread.
 */
export function collectGarbage(): void {
  if (!collect) {
    // Threads do not accept `--expose-gc` as an option, so it is set at run time.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as (options: object) => void
  }
  // Other collections keep the space of a burst for the next one.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

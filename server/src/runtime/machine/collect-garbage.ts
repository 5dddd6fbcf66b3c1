import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options: object) => void) | undefined

/**
 * Frees the memory that nothing uses any more; as the last resort also gives the space of a burst back to the
 * system, which takes longer. It blocks the thread: for some milliseconds, or for a tenth of a second.
 */
export function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  if (!collect) {
    // Threads do not accept `--expose-gc` as an option, so it is set at run time.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as (options: object) => void
  }
  collect({ type: 'major', execution: 'sync', flavor })
}

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Frees what a large page has left behind. A thread that waits for the next job collects nothing by
 * itself, and two of them would sit on 100 MB each. Takes some milliseconds: for a thread.
 */
export function collectGarbage(): void {
  if (!collect) {
    // The only way to it from inside a thread: as an option it is refused there.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}

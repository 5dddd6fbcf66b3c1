import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: (() => void) | undefined

/**
 * Frees the memory of a large page. An idle thread collects nothing by itself, and two of them would
 * keep 100 MB each. It blocks for some milliseconds, so only threads call it.
 */
export function collectGarbage(): void {
  if (!collect) {
    // Threads do not accept `--expose-gc` as an option, so it is set at run time.
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
}

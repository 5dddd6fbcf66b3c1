import { rmSync } from 'node:fs'
import { readRunningUrl, runningUrlPath } from '../../../cli/src/index.ts'
import { replaceFile } from '../runtime/files/atomic-write.ts'

/**
 * Records where the service of a data folder listens, for commands on this machine: its port may have
 * been given by a flag or picked by the system. Gone when disposed.
 */
export function recordRunningUrl(dataDir: string, url: string): Disposable {
  const path = runningUrlPath(dataDir)
  replaceFile(path, `${JSON.stringify({ url, pid: process.pid })}\n`)
  return {
    [Symbol.dispose]: () => {
      // Another process may have recorded itself meanwhile.
      if (readRunningUrl(dataDir) === url) rmSync(path, { force: true })
    },
  }
}

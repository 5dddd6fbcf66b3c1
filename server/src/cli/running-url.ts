import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../runtime/draft-file.ts'
import { isServerUrl } from './server-option.ts'

const pathIn = (dataDir: string): string => join(dataDir, 'running.json')

/**
 * Records where the service of a data folder listens, for commands on this machine: its port may have
 * been given by a flag or picked by the system. Gone when disposed.
 */
export function recordRunningUrl(dataDir: string, url: string): Disposable {
  replaceFile(pathIn(dataDir), `${JSON.stringify({ url, pid: process.pid })}\n`)
  return {
    [Symbol.dispose]: () => {
      // Another process may have recorded itself meanwhile.
      if (readRunningUrl(dataDir) === url) rmSync(pathIn(dataDir), { force: true })
    },
  }
}

/** Undefined if none was recorded that still runs. */
export function readRunningUrl(dataDir: string): string | undefined {
  try {
    const recorded: { url?: unknown; pid?: unknown } = JSON.parse(
      readFileSync(pathIn(dataDir), 'utf8'),
    )
    const { url, pid } = recorded
    if (typeof url !== 'string' || !isServerUrl(url) || typeof pid !== 'number') return undefined
    return isRunning(pid) ? url : undefined
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

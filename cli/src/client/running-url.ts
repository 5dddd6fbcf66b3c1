import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isServerUrl } from './service-options.ts'

/** The file in which a service records where it listens, beside its data. */
export const runningUrlPath = (dataDir: string): string => join(dataDir, 'running.json')

/** Undefined if none was recorded that still runs. */
export function readRunningUrl(dataDir: string): string | undefined {
  try {
    const recorded: { url?: unknown; pid?: unknown } = JSON.parse(
      readFileSync(runningUrlPath(dataDir), 'utf8'),
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

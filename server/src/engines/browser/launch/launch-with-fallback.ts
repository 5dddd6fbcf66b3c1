import { BrowserNotStarted } from './browser-process.ts'
import { explainLaunch, type LaunchMode } from './launch-modes.ts'

interface LaunchResult<Started> {
  started: Started
  mode: LaunchMode
  /** Why the modes before it failed. */
  failures: string[]
}

/** Tries the next mode only when the browser has failed to set up its sandbox. */
export async function launchWithFallback<Started>(
  modes: readonly LaunchMode[],
  start: (mode: LaunchMode) => Promise<Started>,
): Promise<LaunchResult<Started>> {
  const reasons = new Set<string>()
  for (const mode of modes) {
    try {
      return { started: await start(mode), mode, failures: [...reasons] }
    } catch (error) {
      reasons.add(explainLaunch(error instanceof Error ? error.message : String(error), mode))
      if (!(error instanceof BrowserNotStarted && error.lacksSandbox)) break
    }
  }
  throw new BrowserNotStarted([...reasons].join(' '))
}

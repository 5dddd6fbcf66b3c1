import { BrowserNotStarted } from './browser-process.ts'
import { explainLaunch, type LaunchMode } from './launch-modes.ts'

interface InFirstWay<Started> {
  started: Started
  way: LaunchMode
  /** Why it was none of the ways before. */
  complaints: string[]
}

/** Only a browser that cannot have its sandbox is started in another way. */
export async function launchWithFallback<Started>(
  ways: readonly LaunchMode[],
  start: (way: LaunchMode) => Promise<Started>,
): Promise<InFirstWay<Started>> {
  const complaints = new Set<string>()
  for (const way of ways) {
    try {
      return { started: await start(way), way, complaints: [...complaints] }
    } catch (error) {
      complaints.add(explainLaunch(error instanceof Error ? error.message : String(error), way))
      if (!(error instanceof BrowserNotStarted && error.lacksSandbox)) break
    }
  }
  throw new BrowserNotStarted([...complaints].join(' '))
}

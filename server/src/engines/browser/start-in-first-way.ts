import { BrowserNotStarted } from './browser-process.ts'
import { explainLaunch, type LaunchWay } from './launch-ways.ts'

interface InFirstWay<Started> {
  started: Started
  way: LaunchWay
  /** Why it was none of the ways before. */
  complaints: string[]
}

/** Only a browser that cannot have its sandbox is started in another way. */
export async function startInFirstWay<Started>(
  ways: readonly LaunchWay[],
  start: (way: LaunchWay) => Promise<Started>,
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

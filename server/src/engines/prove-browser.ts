import {
  BrowserNotStarted,
  type LaunchableBrowser,
  startBrowserProcess,
} from './browser/browser-process.ts'
import { explainLaunch, waysToLaunch } from './browser/launch-ways.ts'
import { probe, RunningBrowser } from './browser/running-browser.ts'
import type { BrowserSettings } from './browser-candidates.ts'

const probeMsMax = 20_000

export interface BrowserProof {
  ok: boolean
  sandbox: 'on' | 'off'
  detail: string
}

/** Starts the browser and lets it show a page; leaves no process and no file behind. */
export async function proveBrowser(
  browser: LaunchableBrowser,
  settings: { sandbox: BrowserSettings['sandbox']; isRoot: boolean },
): Promise<BrowserProof> {
  const complaints: string[] = []
  for (const way of waysToLaunch(settings)) {
    try {
      await using process = await startBrowserProcess(browser, way)
      await probe(await RunningBrowser.over(process), AbortSignal.timeout(probeMsMax))
      const detail = [...new Set(complaints), 'A page was rendered.'].join(' ')
      return { ok: true, sandbox: way.sandbox, detail }
    } catch (error) {
      const printed = error instanceof BrowserNotStarted ? error.message : String(error)
      complaints.push(explainLaunch(printed, way))
    }
  }
  return { ok: false, sandbox: 'off', detail: [...new Set(complaints)].join(' ') }
}

import { type LaunchableBrowser, startBrowserProcess } from './browser/browser-process.ts'
import { waysToLaunch } from './browser/launch-ways.ts'
import { probe, RunningBrowser } from './browser/running-browser.ts'
import { startInFirstWay } from './browser/start-in-first-way.ts'
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
  try {
    const { way, complaints } = await startInFirstWay(waysToLaunch(settings), async (tried) => {
      await using process = await startBrowserProcess(browser, tried)
      await probe(await RunningBrowser.over(process), AbortSignal.timeout(probeMsMax))
    })
    return {
      ok: true,
      sandbox: way.sandbox,
      detail: [...complaints, 'A page was rendered.'].join(' '),
    }
  } catch (error) {
    return { ok: false, sandbox: 'off', detail: String((error as Error).message) }
  }
}

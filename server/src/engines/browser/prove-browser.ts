import type { BrowserSettings, LaunchableBrowser } from '../install/browser-candidates.ts'
import { launchWithFallback, startBrowserProcess } from './launch/browser-process.ts'
import { launchModes } from './launch/launch-modes.ts'
import { RunningBrowser } from './launch/running-browser.ts'
import { probeBrowser } from './probe-browser.ts'

const probeMsMax = 20_000

/** Starts the browser and renders a page, for `trawl doctor`; leaves nothing behind. */
export async function proveBrowser(
  browser: LaunchableBrowser,
  settings: { sandbox: BrowserSettings['sandbox']; isRoot: boolean },
) {
  try {
    const modes = launchModes(settings)
    const { mode, failures } = await launchWithFallback(modes, async (tried) => {
      await using process = await startBrowserProcess(browser, tried)
      const signal = AbortSignal.timeout(probeMsMax)
      await probeBrowser(await RunningBrowser.connect(process), { signal })
    })
    return {
      ok: true,
      sandbox: mode.sandbox,
      detail: [...failures, 'A page was rendered.'].join(' '),
    }
  } catch (error) {
    return { ok: false, sandbox: 'off', detail: String((error as Error).message) }
  }
}

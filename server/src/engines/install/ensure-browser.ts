import { resolve } from 'node:path'
import type { BrowserState } from '../../domain/service/health.ts'
import type { BrowserSettings, LaunchableBrowser, WantedBrowser } from './browser-candidates.ts'
import { BadBrowserPath, type BrowserFinding, findBrowser } from './find-browser.ts'
import { installBrowser } from './install-browser.ts'
import { type BrowserInstallPlan, planBrowserInstall } from './plan-browser-install.ts'
import { describeThisMachine, searchThisMachine } from './search-machine.ts'

/** What is known about this machine's browser at one moment. */
export interface PresentBrowser extends Partial<LaunchableBrowser> {
  state: BrowserState
  version?: string
  /** Why there is no browser, for the log and the command line. */
  reason?: string
  /** The settings require a browser and none can be had: the service must stop. */
  isFatal?: boolean
}

/** What is needed to launch the browser; undefined while there is none. */
export function launchableOf(present: Partial<LaunchableBrowser>): LaunchableBrowser | undefined {
  const { path, flavor, libraryPath, fontConfig } = present
  if (!path || !flavor) return undefined
  return { path, flavor, ...(libraryPath && { libraryPath }), ...(fontConfig && { fontConfig }) }
}

export interface EnsureBrowserOptions {
  settings: WantedBrowser & Pick<BrowserSettings, 'install'>
  dataDir: string
  /** The folders of PATH; the usual folders by default. */
  pathFolders?: readonly string[] | undefined
  /** `http_proxy` and the like for the installer, which inherits no other variable. */
  proxyVariables?: Record<string, string> | undefined
  /** Keeps this process alive until the installation has ended. */
  isWaitedFor: boolean
}

/** Finds or installs a browser. `onChange` gets every state; the last one is also returned. */
export async function ensureBrowser(
  options: EnsureBrowserOptions,
  onChange: (present: PresentBrowser) => void,
): Promise<PresentBrowser> {
  const report = (present: PresentBrowser): PresentBrowser => {
    onChange(present)
    return present
  }
  try {
    const found = await findBrowser(searchThisMachine(options))
    const plan = planAfter(found, options.settings)
    if (plan.method === 'none') return report(presentOf(found, options.settings, plan.advice))

    report({ state: 'installing', reason: `${plan.browserPackage} is being installed` })
    const outcome = await installBrowser(
      {
        plan,
        settings: { ...options.settings, path: undefined },
        dataDir: resolve(options.dataDir),
        pathFolders: options.pathFolders,
      },
      options,
    )
    const advice = outcome.isDone ? '' : `The installation failed: ${outcome.reason}`
    const foundNow = await findBrowser(searchThisMachine(options))
    return report(presentOf(foundNow, options.settings, advice))
  } catch (error) {
    if (!(error instanceof BadBrowserPath)) throw error
    return report({ state: 'absent', reason: error.message, isFatal: true })
  }
}

function planAfter(
  found: BrowserFinding,
  { install, flavor }: EnsureBrowserOptions['settings'],
): BrowserInstallPlan {
  if (found.browser || install === 'never') return { method: 'none', advice: '' }
  return planBrowserInstall(describeThisMachine(), flavor)
}

function presentOf(
  { browser, rejections }: BrowserFinding,
  { install }: EnsureBrowserOptions['settings'],
  advice: string,
): PresentBrowser {
  if (!browser) {
    const reason = ['No Chromium was found.', ...rejections, advice].filter(Boolean).join(' ')
    return { state: 'absent', reason, isFatal: install === 'force' }
  }
  return { state: 'ready', version: browser.version, ...launchableOf(browser) }
}

import {
  type Command,
  exitCodes,
  type PrintFlags,
  printJson,
  printText,
  say,
  withOutputOptions,
} from '../../../cli/src/index.ts'
import { browserSettings, loadConfig } from '../config.ts'
import { type EnsureBrowserOptions, ensureBrowser } from '../engines/install/ensure-browser.ts'
import { findBrowser } from '../engines/install/find-browser.ts'
import { searchThisMachine } from '../engines/install/search-machine.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addBrowserCommand(program: Command): void {
  const browser = program.command('browser').description('the Chromium that renders pages')
  const onBrowser = (name: string, about: string, run: RunOnBrowser) =>
    withOutputOptions(addSettingFlags(browser.command(name), ['browser', 'store']))
      .description(about)
      .action(async (flags: PrintFlags, command: Command) => {
        const { config } = loadConfig(settingFlags(command))
        const { dataDir } = config.store
        const facts = { settings: browserSettings(config), dataDir, ...config.environment }
        process.exitCode = await run(facts, flags)
      })
  onBrowser('find', 'print the path of the Chromium that is used', findBrowserCommand)
  onBrowser('install', 'install Chromium and wait for it', installBrowserCommand)
}

/** Returns the exit code. */
type RunOnBrowser = (
  facts: Omit<EnsureBrowserOptions, 'isWaitedFor'>,
  flags: PrintFlags,
) => Promise<number>

/** `trawl browser find`: prints the path on stdout and rejected candidates on stderr. */
const findBrowserCommand: RunOnBrowser = async (facts, flags) => {
  const { browser, rejections } = await findBrowser(searchThisMachine(facts))
  for (const rejection of rejections) console.error(rejection)
  const report = { browser: browser ?? null, rejections }
  if (flags.json) await printJson(JSON.stringify(report), flags)
  else if (browser) await printText(browser.path, flags)
  else console.error('No Chromium was found. Run "npx trawl browser install".')
  return browser ? 0 : exitCodes.notFound
}

/** `trawl browser install`: installs and waits, whatever `TRAWL_BROWSER_INSTALL` says. */
const installBrowserCommand: RunOnBrowser = async (facts, flags) => {
  const startedAtMs = performance.now()
  const present = await ensureBrowser(
    { ...facts, settings: { ...facts.settings, install: 'force' }, isWaitedFor: true },
    ({ state, reason }) => {
      if (state !== 'ready') say(`[setup] browser ........ ${reason}`)
    },
  )
  if (flags.json) await printJson(JSON.stringify(present), flags)
  else if (present.path) await printText(present.path, flags)
  if (present.state !== 'ready') return exitCodes.failed
  const seconds = Math.round((performance.now() - startedAtMs) / 1000)
  say(`[setup] browser ........ Chromium ${present.version} is ready, ${seconds} s`)
  return 0
}

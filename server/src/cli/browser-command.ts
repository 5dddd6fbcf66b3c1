import { type Command, type PrintFlags, printJson, printText, say } from '../../../cli/src/index.ts'
import { browserSettings, loadConfig } from '../config.ts'
import { type EnsureBrowserOptions, ensureBrowser } from '../engines/install/ensure-browser.ts'
import { findBrowser } from '../engines/install/find-browser.ts'
import { searchThisMachine } from '../engines/install/search-machine.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addBrowserCommand(program: Command): void {
  const browser = program.command('browser').description('the Chromium that renders pages')
  const verbs = {
    find: { about: 'print the path of the Chromium that is used', run: findBrowserCommand },
    install: { about: 'install Chromium and wait for it', run: installBrowserCommand },
  }
  for (const [name, { about, run }] of Object.entries(verbs)) {
    addSettingFlags(browser.command(name), ['browser', 'store'])
      .description(about)
      .option('--json', 'one JSON document')
      .option('-o, --output <file>', 'write to a file instead of stdout')
      .action(async (flags: PrintFlags, command: Command) => {
        const { config } = loadConfig(settingFlags(command))
        process.exitCode = await run({
          settings: browserSettings(config),
          dataDir: config.store.dataDir,
          ...config.environment,
          flags,
        })
      })
  }
}

interface BrowserCommand extends Omit<EnsureBrowserOptions, 'isWaitedFor'> {
  flags: PrintFlags
}

const exitCodes = { ok: 0, failed: 1, notFound: 4 }

/** `trawl browser find`: prints the path on stdout and rejected candidates on stderr; returns the exit code. */
async function findBrowserCommand(command: BrowserCommand): Promise<number> {
  const { browser, rejections } = await findBrowser(searchThisMachine(command))
  for (const rejection of rejections) console.error(rejection)
  const { flags } = command
  const report = { browser: browser ?? null, rejections }
  if (flags.json) await printJson(JSON.stringify(report), flags)
  else if (browser) await printText(browser.path, flags)
  else console.error('No Chromium was found. Run "npx trawl browser install".')
  return browser ? exitCodes.ok : exitCodes.notFound
}

/** `trawl browser install`: installs and waits, whatever `TRAWL_BROWSER_INSTALL` says. */
async function installBrowserCommand(command: BrowserCommand): Promise<number> {
  const startedAtMs = performance.now()
  const present = await ensureBrowser(
    { ...command, settings: { ...command.settings, install: 'force' }, isWaitedFor: true },
    ({ state, reason }) => {
      if (state !== 'ready') say(`[setup] browser ........ ${reason}`)
    },
  )
  const { flags } = command
  if (flags.json) await printJson(JSON.stringify(present), flags)
  else if (present.path) await printText(present.path, flags)
  if (present.state !== 'ready') return exitCodes.failed
  const seconds = Math.round((performance.now() - startedAtMs) / 1000)
  say(`[setup] browser ........ Chromium ${present.version} is ready, ${seconds} s`)
  return exitCodes.ok
}

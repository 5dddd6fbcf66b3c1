/**
 * The command line: each command is a file, each reads its settings as the service does. Data goes to
 * stdout, talk to stderr. Like `main.ts` it may see every folder; nothing imports it.
 */
import { performance } from 'node:perf_hooks'
import type { Command } from 'commander'
import type { GeneratedCredentials } from '../accounts/first-account.ts'
import { type Config, loadConfig } from '../config.ts'
import { BadBrowserPath } from '../engines/install/find-browser.ts'
import { type Service, startService } from '../main.ts'
import { waitAtMost } from '../runtime/deadline.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { version } from '../runtime/version.ts'
import { addSettingFlags, settingFlags } from './setting-flags.ts'

export function addServeCommand(program: Command): void {
  addSettingFlags(program.command('serve'))
    .description('run the service until it is told to stop')
    .action((_options: unknown, command: Command) => serve(settingFlags(command)))
}

const searchedWithinMs = 500

async function serve(flags: Record<string, string | undefined>): Promise<void> {
  const { config, warnings } = loadConfig(flags)
  const log = createLog({ level: config.log.level, isPretty: process.stderr.isTTY })
  for (const warning of warnings) log.warn(warning)
  const stopped = stopSignal()

  const service = await startService(config, log)
  // The service is up already; only the picture of it waits, so as not to call a browser absent too early.
  await waitAtMost(service.browser.whenSearched, searchedWithinMs)
  console.error(readyLines(service, config))
  if (service.credentials) await forgetShown(service, log)

  const signal = await Promise.race([stopped, browserRefused(service)])
  log.info({ signal }, 'stopping')
  await service[Symbol.asyncDispose]()
  log.info({ uptimeSeconds: Math.round(performance.now() / 1000) }, 'stopped')
  process.exit(0)
}

/** What cannot be forgotten now is shown once more at the next start, which is no reason to end. */
const forgetShown = (service: Service, log: Log): Promise<void> =>
  service
    .forgetCredentials()
    .catch((error) => log.warn({ err: error }, 'The credentials will be shown again.'))

/** With `TRAWL_BROWSER_INSTALL=force` a service without a browser is no service. */
async function browserRefused({ browser }: Service): Promise<never> {
  const { isFatal, reason } = await browser.whenSettled
  if (!isFatal) return await new Promise<never>(() => undefined)
  throw new BadBrowserPath(`TRAWL_BROWSER_INSTALL=force, but there is no browser: ${reason}`)
}

// A terminal's Ctrl-C arrives beside the SIGTERM that the launcher passes on; a person takes longer.
const secondThoughtsMs = 1000

/** The first signal starts a clean stop; a second Ctrl-C means now. */
async function stopSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let firstAtMs: number | undefined
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(name, () => {
      firstAtMs ??= performance.now()
      if (name === 'SIGINT' && performance.now() - firstAtMs > secondThoughtsMs) process.exit(130)
      resolve(name)
    })
  }
  return await promise
}

function readyLines({ url, store, browser, credentials }: Service, config: Config): string {
  const { state } = browser.state()
  const { dataDir } = config.store
  const proxyCount = config.outbound.proxies.length
  const hasApi = config.roles.includes('api')
  const lines = [
    ['API', hasApi ? url : `${url} (health and metrics only)`],
    ...(hasApi ? [['Reference', `${url}/reference`]] : []),
    ['Store', store === 'sqlite' ? `sqlite  ${dataDir}/trawl.db` : store],
    ['Engines', `browser ${state}`],
    // A list that was meant to be there and is not should be seen at once.
    ['Proxies', proxyCount === 0 ? 'none: connections are direct' : `${proxyCount}`],
    ...(credentials ? [['Account', accountLine(credentials, store, dataDir)]] : []),
  ].map(([name, value]) => `    ${name?.padEnd(10)} ${value}`)
  const hint = hasApi ? `  Try:  npx trawl scrape https://example.com --server ${url}\n` : ''
  return `\n  trawl ${version} is ready\n${lines.join('\n')}\n${hint}`
}

/** Shown once, at the start that made the account, or at the next one where that was killed before. */
function accountLine(
  { username, password, apiKey }: GeneratedCredentials,
  store: Service['store'],
  dataDir: string,
): string {
  const kept = store === 'sqlite' ? `kept in ${dataDir}/credentials.json` : 'write them down now'
  const key = apiKey ? `   API key ${apiKey}` : ''
  return `${username}${password ? ` / ${password}` : ''}${key}   (${kept})`
}

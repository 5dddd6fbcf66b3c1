import { performance } from 'node:perf_hooks'
import { onCtrlC } from '../../../cli/src/index.ts'
import type { GeneratedCredentials } from '../accounts/first-account.ts'
import { type Config, loadConfig } from '../config.ts'
import { BadBrowserPath } from '../engines/install/find-browser.ts'
import { type Service, startService } from '../main.ts'
import { waitAtMost } from '../runtime/deadline.ts'
import { isLoopbackHost } from '../runtime/ip-block.ts'
import { createLog, type Log } from '../runtime/log.ts'
import { collectWhenIdle } from '../runtime/machine/collect-when-idle.ts'
import { version } from '../runtime/version.ts'
import { recordRunningUrl } from './record-running-url.ts'

const browserSearchMsMax = 500

/** Runs the service until a signal stops it. */
export async function serve(flags: Record<string, string | undefined>): Promise<void> {
  const { config, warnings } = loadConfig(flags)
  const log = createLog({ level: config.log.level, isPretty: process.stderr.isTTY })
  for (const warning of warnings) log.warn(warning)
  const stopped = stopSignal()

  const service = await startService(config, log)
  collectWhenIdle()
  const recorded = recordForCommands(service, config, log)
  // The service runs already. Only the banner waits, so that it does not report the browser as absent early.
  await waitAtMost(service.browser.whenSearched, browserSearchMsMax)
  console.error(readyLines(service, config, await firstLink(service, config, log)))
  if (service.credentials) await forgetShown(service, log)

  const signal = await Promise.race([stopped, requireBrowser(service)])
  log.info({ signal }, 'stopping')
  recorded?.[Symbol.dispose]()
  await service[Symbol.asyncDispose]()
  log.info({ uptimeSeconds: Math.round(performance.now() / 1000) }, 'stopped')
  process.exit(0)
}

/** A link is as good as the password: only who sits at the machine sees what a first start prints there. */
async function firstLink(
  service: Service,
  { roles, http, dashboard }: Config,
  log: Log,
): Promise<string | undefined> {
  const { credentials } = service
  // The plain page would leave its token in the address.
  const hasDashboard = roles.includes('api') && dashboard.mode !== 'off'
  if (!credentials || !hasDashboard || !isLoopbackHost(http.host)) return undefined
  try {
    return (await service.createSignInLink(credentials.username)).url
  } catch (err) {
    log.warn({ err }, 'failed to create a link to sign in; "npx trawl login" prints another')
    return undefined
  }
}

/** Only the embedded mode has a data folder with credentials that commands use. */
function recordForCommands(
  { store, url }: Service,
  { roles, store: { dataDir } }: Config,
  log: Log,
): Disposable | undefined {
  if (store !== 'sqlite' || !roles.includes('api')) return undefined
  try {
    return recordRunningUrl(dataDir, url)
  } catch (err) {
    log.warn({ err }, 'failed to record the address; commands on this machine need --server')
    return undefined
  }
}

const forgetShown = (service: Service, log: Log): Promise<void> =>
  service
    .forgetCredentials()
    .catch((err) =>
      log.warn({ err }, 'failed to forget the credentials; shown again at next start'),
    )

/** Throws if there is no browser although `TRAWL_BROWSER_INSTALL=force` requires one. */
async function requireBrowser({ browser }: Service): Promise<never> {
  const { isFatal, reason } = await browser.whenSettled
  if (!isFatal) return await new Promise<never>(() => undefined)
  throw new BadBrowserPath(`TRAWL_BROWSER_INSTALL=force, but there is no browser: ${reason}`)
}

/** The first signal starts a graceful shutdown; a second Ctrl-C exits at once. */
async function stopSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  onCtrlC(() => resolve('SIGINT'))
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => resolve(name))
  return await promise
}

function readyLines(
  { url, store, browser, credentials }: Service,
  config: Config,
  signInLink: string | undefined,
): string {
  const { state } = browser.state()
  const { dataDir } = config.store
  const proxyCount = config.outbound.proxies.length
  const hasApi = config.roles.includes('api')
  const hasDashboard = hasApi && config.dashboard.mode !== 'off'
  const lines = [
    ['API', hasApi ? url : `${url} (health and metrics only)`],
    ...(hasDashboard ? [['Dashboard', `${url}/`]] : []),
    ...(hasApi ? [['Reference', `${url}/reference`]] : []),
    ['Store', store === 'sqlite' ? `sqlite  ${dataDir}/trawl.db` : store],
    ['Engines', `browser ${state}`],
    // Shown also when there are none, so that a forgotten setting is noticed at once.
    ['Proxies', proxyCount === 0 ? 'none: connections are direct' : `${proxyCount}`],
    ...(credentials ? [['Account', accountLine(credentials, store, dataDir)]] : []),
    ...(signInLink ? [['Sign in', `${signInLink}   (once, within 15 minutes)`]] : []),
  ].map(([name, value]) => `    ${name?.padEnd(10)} ${value}`)
  const hint = hasApi ? `  Try:  npx trawl scrape https://example.com --server ${url}\n` : ''
  return `\n  trawl ${version} is ready\n${lines.join('\n')}\n${hint}`
}

/** Shown once: by the start that created the account, or by the next one if that was killed before. */
function accountLine(
  { username, password, apiKey }: GeneratedCredentials,
  store: Service['store'],
  dataDir: string,
): string {
  const advice = store === 'sqlite' ? `kept in ${dataDir}/credentials.json` : 'write them down now'
  const key = apiKey ? `   API key ${apiKey}` : ''
  return `${username}${password ? ` / ${password}` : ''}${key}   (${advice})`
}

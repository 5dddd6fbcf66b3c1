/** Builds the browser of this process: found or installed at the start, behind the egress guard. */
import { browserSettings, type Config } from '../config.ts'
import { createBrowserEngine } from '../engines/browser/browser-engine.ts'
import { type LocalBrowser, startLocalBrowser } from '../engines/browser/local-browser.ts'
import {
  type BrowserPresence,
  startBrowserPresence,
  withoutBrowser,
} from '../engines/install/browser-presence.ts'
import { launchableOf } from '../engines/install/ensure-browser.ts'
import type { EgressGuard } from '../outbound/guard/egress-guard.ts'
import type { ListeningPorts } from '../outbound/guard/listening-ports.ts'
import { createGuardedConnect } from '../outbound/guarded-connect.ts'
import type { Resolver } from '../outbound/resolver.ts'
import type { Log } from '../runtime/log.ts'
import type { Metrics } from '../runtime/metrics.ts'

/** Only a process that runs tasks looks for a browser. */
export function startPresence(config: Config, log: Log): BrowserPresence {
  if (!config.roles.includes('worker')) return withoutBrowser()
  const { pathFolders, proxyVariables } = config.environment
  const { dataDir } = config.store
  const settings = browserSettings(config)
  return startBrowserPresence({ settings, dataDir, log, pathFolders, proxyVariables })
}

export function startBrowser(parts: {
  config: Config
  presence: BrowserPresence
  guard: EgressGuard
  resolver: Resolver
  listeningPorts: Pick<ListeningPorts, 'add'>
  log: Log
  metrics: Pick<Metrics, 'browserRestarts'>
}): LocalBrowser {
  const { config, presence, guard, resolver, listeningPorts, log, metrics } = parts
  return startLocalBrowser({
    log,
    presence,
    createEngine: (present) =>
      createBrowserEngine({
        browser: () => launchableOf(present),
        sandbox: config.browser.sandbox,
        isRoot: process.getuid?.() === 0,
        log,
        onRestart: (reason) => metrics.browserRestarts.inc({ reason }),
        connect: createGuardedConnect({ guard, resolver }),
        onListening: listeningPorts.add,
      }),
  })
}

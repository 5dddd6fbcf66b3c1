/** Builds the service from its parts: the whole composition, each part with what it needs. */
import {
  forgetShownCredentials,
  type GeneratedCredentials,
  prepareFirstAccount,
} from './accounts/first-account.ts'
import { createSignInLink, type SignInLink } from './accounts/sign-in-links.ts'
import { browserSettings, type Config } from './config.ts'
import { type Dashboard, startDashboard, withoutDashboard } from './dashboard/dashboard.ts'
import type { BrowserPresence } from './engines/install/browser-presence.ts'
import { requireExecutable } from './engines/install/find-browser.ts'
import { type HttpServer, requireFreePort } from './http/server.ts'
import { startListeningPorts } from './outbound/guard/listening-ports.ts'
import type { Log } from './runtime/log.ts'
import { requireDescriptors } from './runtime/machine/open-files.ts'
import { createMetrics } from './runtime/metrics.ts'
import { sortableId } from './runtime/sortable-id.ts'
import type { Database } from './storage/database.ts'
import { quietInOutages } from './storage/outages/quiet-in-outages.ts'
import { startUpgradingRows } from './storage/schema/upgrade-rows.ts'
import { startKeyWatch } from './storage/secrets/key-rotation.ts'
import { namingStore } from './storage/store-place.ts'
import { startProxies } from './tasks/proxies/start-proxies.ts'
import { startApiServer } from './wiring/api-server.ts'
import { startPresence } from './wiring/browser.ts'
import { buildUseCases } from './wiring/build-use-cases.ts'
import { createGuard, listOwnAddresses } from './wiring/egress-rules.ts'
import { openStore } from './wiring/open-store.ts'
import { startWork, type Work } from './wiring/work.ts'

export interface Service extends AsyncDisposable {
  readonly url: string
  readonly store: Database['kind']
  readonly browser: BrowserPresence
  readonly dashboard: Dashboard
  /** The generated credentials of the first account, until they have been shown. */
  readonly credentials: GeneratedCredentials | undefined
  /** To be called once they were shown; until then every start shows them again. */
  forgetCredentials(): Promise<void>
  /** A link that signs in as the account, once. */
  createSignInLink(username: string): Promise<SignInLink>
}

/** Starts the service, or throws what its operator has to know. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const { databaseUrl: url, dataDir } = config.store
  try {
    return await startParts(config, log)
  } catch (error) {
    throw namingStore(error, { url, dataDir })
  }
}

/**
 * Starts everything; disposing is the graceful shutdown, in reverse order. The server refuses requests
 * first and closes last, after the database, so that `/livez` responds until the process ends.
 */
async function startParts(config: Config, ownLog: Log): Promise<Service> {
  const log = quietInOutages(ownLog)
  await using parts = new AsyncDisposableStack()
  await requireStartable(config)
  let listening: HttpServer | undefined
  parts.defer(() => listening?.[Symbol.asyncDispose]())

  const store = await openStore(config, ownLog)
  const { db, keys, sealer } = store
  parts.use(db)
  parts.use(startKeyWatch({ db, keys, sealer, log }))
  parts.use(startUpgradingRows({ db, sealer, log }))
  const keptIn = db.isShared ? undefined : config.store.dataDir
  const credentials = await prepareFirstAccount({ db, sealer }, config.firstAccount, keptIn)

  const { keyIds } = sealer
  const processId = sortableId()
  const metrics = createMetrics({ storeClockOffsetMs: () => db.clockOffsetMs() })
  const listeningPorts = parts.use(
    await startListeningPorts({ db, log, processId, keyIds, listOwnAddresses }),
  )
  const guard = createGuard({ config, listeningPorts, metrics })
  const presence = parts.use(startPresence(config, log))
  const nowMs = () => db.nowMs()
  const proxies = parts.use(startProxies({ ...proxiesOf(config), log, metrics, nowMs }))
  // Without the setting, the URL is known only once the server listens.
  let address = config.http.publicUrl ?? ''
  const publicUrl = () => address
  const work = parts.use(
    startWork({
      config,
      store,
      guard,
      listeningPorts,
      log,
      metrics,
      processId,
      publicUrl,
      presence,
      proxies,
    }),
  )

  const drain = { isDraining: false, isRefusing: false }
  const dashboard = parts.use(dashboardOf(config, log))
  const useCases = buildUseCases({
    config,
    db,
    log,
    metrics,
    drain,
    proxies,
    processId,
    publicUrl,
    dashboard,
    work,
  })
  const onListening = (host: string, port: number) =>
    listeningPorts.announce({ address: host, port })
  const server = parts.adopt(
    await startApiServer({ config, drain, useCases, work, onListening, log, metrics }),
    (one) => one.drain(),
  )
  listening = server
  address = (config.http.publicUrl ?? server.url).replace(/\/+$/, '')
  void db.whenOutdated.then(() => stopWorking({ server, work, log }))
  const stop = parts.move()
  return {
    url: server.url,
    store: db.kind,
    browser: presence,
    dashboard,
    credentials,
    forgetCredentials: () => forgetShownCredentials(db),
    createSignInLink: (username) => createSignInLink(db, { username, origin: publicUrl() }),
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  }
}

/** Once a newer version has taken the store over: as at a shutdown, but the process goes on answering 503. */
async function stopWorking(parts: { server: HttpServer; work: Work; log: Log }): Promise<void> {
  try {
    await parts.server.drain()
    await parts.work[Symbol.asyncDispose]()
  } catch (error) {
    parts.log.error({ err: error }, 'Failed to stop working on a newer store; replace the process.')
  }
}

const proxiesOf = ({ outbound, environment }: Config) => ({
  proxies: outbound.proxies,
  file: environment.proxiesFile,
})

/** Only a process that serves the API shows pages. */
const dashboardOf = ({ roles, dashboard, store, environment }: Config, log: Log): Dashboard =>
  roles.includes('api')
    ? startDashboard({
        mode: dashboard.mode,
        dataDir: store.dataDir,
        buildVariables: environment.buildVariables,
        log,
      })
    : withoutDashboard()

/** Fails on a wrong setup before a store is created, with its key and first account. */
async function requireStartable(config: Config): Promise<void> {
  requireDescriptors()
  if (config.roles.includes('worker')) requireExecutable(browserSettings(config))
  await requireFreePort(config.http)
}

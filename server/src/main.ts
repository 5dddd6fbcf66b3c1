/** Builds the service from its parts: the only file that sees every folder. */
import {
  forgetShownCredentials,
  type GeneratedCredentials,
  prepareFirstAccount,
} from './accounts/first-account.ts'
import { createGate } from './accounts/gate.ts'
import { countAgainst } from './accounts/request-limit.ts'
import { createWhitelist } from './accounts/whitelist.ts'
import { browserSettings, type Config } from './config.ts'
import { browserCapability } from './domain/capabilities.ts'
import { isDiskLow } from './domain/disk-space.ts'
import type { BrowserFacts } from './domain/health.ts'
import { egressRules, listOwnAddresses } from './egress-rules.ts'
import {
  type BrowserPresence,
  startBrowserPresence,
  withoutBrowser,
} from './engines/browser-presence.ts'
import { requireExecutable } from './engines/find-browser.ts'
import { probes, routes } from './http/routes.ts'
import { type HttpServer, requireFreePort, startHttpServer } from './http/server.ts'
import type { UseCases } from './http/use-cases.ts'
import { createEgressGuard, type EgressGuard } from './outbound/egress-guard.ts'
import { type ListeningPorts, startListeningPorts } from './outbound/listening-ports.ts'
import { describeProxies, type Proxies, startProxies } from './proxies.ts'
import { isLoopbackHost } from './runtime/ip-block.ts'
import { createLinkSigner, type LinkSigner } from './runtime/link-signer.ts'
import type { Log } from './runtime/log.ts'
import { createMetrics, type Metrics } from './runtime/metrics.ts'
import { openFilesMax } from './runtime/open-files.ts'
import { readDiskSpace } from './runtime/read-disk-space.ts'
import { createSealer, type MasterKeys, type Sealer } from './runtime/seal.ts'
import { version } from './runtime/version.ts'
import { prepareDataFolder } from './storage/data-folder.ts'
import type { Database } from './storage/database.ts'
import { requireRightSecretKey, startKeyWatch } from './storage/key-rotation.ts'
import { openDatabase } from './storage/open-database.ts'
import { startSealingOldRows } from './storage/seal-old-rows.ts'
import { readOrMakeSecretKey } from './storage/secret-key.ts'
import { startWork } from './work.ts'

// The other half of the files is for targets, receivers and the store.
const connectionsMaxByDefault = () => Math.min(Math.ceil(openFilesMax() / 2), 20_000)

export interface Service extends AsyncDisposable {
  readonly url: string
  readonly store: Database['kind']
  readonly browser: BrowserPresence
  /** Of the first account: what was generated, until it has been shown. */
  readonly credentials: GeneratedCredentials | undefined
  /** To be called once a person has seen them; until then every start reports them again. */
  forgetCredentials(): Promise<void>
}

/**
 * Starts everything; disposing stops it in reverse order. The server refuses requests first and closes
 * last, after the database: `/livez` is answered until the process ends.
 */
export async function startService(config: Config, log: Log): Promise<Service> {
  await using parts = new AsyncDisposableStack()
  await requireStartable(config)
  let listening: HttpServer | undefined
  parts.defer(() => listening?.[Symbol.asyncDispose]())
  const store = await openStore(config, log)
  const { db, sealer } = store
  parts.use(db)
  parts.use(startKeyWatch({ ...store, log }))
  parts.use(startSealingOldRows({ db, sealer, log }))
  const keptIn = db.isShared ? undefined : config.store.dataDir
  const credentials = await prepareFirstAccount({ db, sealer }, config.firstAccount, keptIn)
  const metrics = createMetrics({ storeClockOffsetMs: () => db.clockOffsetMs() })
  const { keyIds } = sealer
  const listeningPorts = parts.use(await startListeningPorts({ db, log, keyIds, listOwnAddresses }))
  const guard = createGuard(config, { listeningPorts, metrics })
  let publicUrl = config.http.publicUrl
  const browser = parts.use(startPresence(config, log))
  const proxies = parts.use(startProxies({ config, log, metrics, nowMs: () => db.nowMs() }))
  const work = parts.use(
    startWork({
      config,
      ...store,
      guard,
      listeningPorts,
      log,
      metrics,
      publicUrl: () => publicUrl ?? '',
      presence: browser,
      proxies,
    }),
  )
  const drain = { isDraining: false, isRefusing: false }
  const stopping = stoppingTimes(config)
  const server = parts.adopt(
    await startHttpServer({
      ...config.http,
      drain,
      ...stopping,
      onRefusing: () => work.stopClaiming(stopping.inFlightMsMax),
      onListening: (address, port) => listeningPorts.announce({ address, port }),
      connectionsMax: config.http.connectionsMax ?? connectionsMaxByDefault(),
      routes: config.roles.includes('api') ? routes : probes,
      log,
      metrics,
      useCases: {
        ...accountUseCases(db, log),
        webhooks: work.webhooks,
        tasks: work.tasks,
        intake: work.intake,
        publicUrl: () => publicUrl ?? '',
        metricsText: metrics.text,
        healthFacts: async ({ isBrowserTried }) => ({
          isStoreAnswering: await isAnswering(db),
          ...(await diskFacts(config)),
          isDraining: drain.isDraining,
          browser: await work.browserAccess.describe({ isTried: isBrowserTried }),
        }),
        capabilities: async ({ isBrowserTried: isTried }) => {
          const browser = await work.browserAccess.describe({ isTried })
          return capabilities(config, { db, proxies, browser })
        },
      },
    }),
    (one) => one.drain(),
  )
  listening = server
  publicUrl = (publicUrl ?? server.url).replace(/\/+$/, '')
  const stop = parts.move()
  return {
    url: server.url,
    store: db.kind,
    browser,
    credentials,
    forgetCredentials: () => forgetShownCredentials(db),
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  }
}

const createGuard = (
  config: Config,
  { listeningPorts, metrics }: { listeningPorts: ListeningPorts; metrics: Metrics },
): EgressGuard =>
  createEgressGuard(
    {
      ...egressRules(config),
      ownAddresses: listeningPorts.ownAddresses,
      ownListeners: listeningPorts,
    },
    (purpose, reason) => metrics.egressBlocked.inc({ purpose, reason }),
  )

function accountUseCases(
  db: Database,
  log: Log,
): Pick<UseCases, 'gate' | 'countAgainst' | 'whitelist'> {
  const gate = createGate({ db, log })
  return {
    gate,
    countAgainst: (limit, accountId) => countAgainst(db, limit, accountId),
    whitelist: createWhitelist(db, () => gate.forgetAddresses()),
  }
}

/** What can be refused without a store is refused before one is made, its key and account with it. */
async function requireStartable(config: Config): Promise<void> {
  if (config.roles.includes('worker')) requireExecutable(browserSettings(config))
  await requireFreePort(config.http)
}

// Of the 30 s that orchestrators give, the rest is for giving back what is left and closing the store.
const drainedWithinMs = 25_000
const inFlightMsMin = 5_000

function stoppingTimes({ http }: Config): { drainDelayMs: number; inFlightMsMax: number } {
  const drainDelayMs = http.drainDelayMs ?? (isLoopbackHost(http.host) ? 0 : 5_000)
  return { drainDelayMs, inFlightMsMax: Math.max(drainedWithinMs - drainDelayMs, inFlightMsMin) }
}

export interface OpenStore {
  db: Database
  keys: MasterKeys
  sealer: Sealer
  linkSigner: LinkSigner
}

/** Opens the store for the service or for a command beside it. */
export async function openStore(
  { store: { dataDir, databaseUrl, secretKey, secretKeyPrevious } }: Config,
  log: Log,
): Promise<OpenStore> {
  await using parts = new AsyncDisposableStack()
  if (databaseUrl === undefined) prepareDataFolder(dataDir)
  const db = parts.use(await openDatabase({ url: databaseUrl, dataDir, log }))
  const keys = secretKey
    ? { newest: secretKey, previous: secretKeyPrevious }
    : await readOrMakeSecretKey(db, dataDir)
  const sealer = createSealer(keys)
  await requireRightSecretKey({ db, keys, sealer })
  parts.move()
  return { db, keys, sealer, linkSigner: createLinkSigner(keys) }
}

/** Only who runs tasks has a use for a browser. */
const startPresence = (config: Config, log: Log): BrowserPresence =>
  config.roles.includes('worker')
    ? startBrowserPresence({
        settings: browserSettings(config),
        dataDir: config.store.dataDir,
        log,
        ...config.environment,
      })
    : withoutBrowser()

const capabilities = (
  config: Config,
  { db, proxies, browser }: { db: Database; proxies: Proxies; browser: BrowserFacts },
) => ({
  service: 'trawl' as const,
  version,
  store: db.kind,
  roles: config.roles,
  engines: { browser: browserCapability(browser) },
  proxies: describeProxies(proxies),
  limits: { body_bytes_max: config.http.bodyBytesMax },
})

const isAnswering = (db: Database): Promise<boolean> =>
  db.ping().then(
    () => true,
    () => false,
  )

/** With PostgreSQL there may be no data folder at all, and so nothing to be told. */
async function diskFacts({ store }: Config) {
  const disk = await readDiskSpace(store.dataDir)
  return {
    diskFreeShare: disk && disk.freeBytes / disk.totalBytes,
    isDiskLow: isDiskLow(disk, store.diskFreeMin),
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import { rotateCallbackSecret } from '../../../src/accounts/accounts.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { isStoreUnavailable } from '../../../src/storage/outages/store-unavailable.ts'
import type { WatchedDatabase } from '../../../src/storage/outages/watched-database.ts'
import { readMigrations } from '../../../src/storage/schema/migration.ts'
import { startTestReceiver } from '../../support/test-receiver.ts'
import { silentLog } from '../../support/test-store.ts'
import { until } from '../../support/until.ts'
import { openBeside, ServiceProcess } from '../service-process.ts'
import {
  insertBacklog,
  insertOlderAccount,
  type OlderVersion,
  olderWrites,
} from './older-writes.ts'

export interface UpgradeOptions {
  /** The settings of the store. */
  environment: Record<string, string>
  /** The version is that before this migration. */
  from: OlderVersion
  writersCount: number
  /** So many are accepted before the new version is started. */
  acceptedBefore: number
  backlogCount: number
  finishedWithinMs: number
}

export interface UpgradeReport {
  acceptedBefore: number
  /** Accepted while the new version started and migrated. */
  acceptedMeanwhile: number
  /** Without a callback in the end. */
  lost: number
  /** Had no queue entry after the migration; a sweep found them. */
  requeued: number
}

const writePauseMs = 20
/** What was tried before the account could sign is tried again soon. */
const schedule = ['0s', ...Array.from({ length: 30 }, () => '2s')].join(',')

/** Writers accept work as an older version did, until their statements fail, while the new version starts. */
export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport> {
  await using resources = new AsyncDisposableStack()
  const peer = await startTestReceiver({
    after: (end) => resources.defer(async () => void (await (end as () => unknown)())),
  })
  const environment = { ...options.environment, TRAWL_DELIVERY_SCHEDULE: schedule }
  const accepted = new Set<string>()
  let isStopped = false

  const older = resources.use(await openOlder(environment, options.from))
  await older.run(insertOlderAccount())
  const write = async () => {
    const { taskId, statements } = olderWrites[options.from](peer.url)
    await older.transaction(statements)
    accepted.add(taskId)
  }
  await write()
  await older.run(insertBacklog[options.from](options.backlogCount))

  const writing = Promise.all(
    Array.from({ length: options.writersCount }, async () => {
      while (!isStopped) {
        await pause(writePauseMs)
        try {
          await write()
        } catch (error) {
          // A lock that is waited for too long is retried; a statement for another schema is the end.
          if (older.refusal() || !isStoreUnavailable(error)) return
        }
      }
    }),
  )
  await until(() => accepted.size >= options.acceptedBefore)
  const acceptedBefore = accepted.size
  const service = resources.use(new ServiceProcess(environment))
  await service.start()
  isStopped = true
  await writing
  // The account of the older writers has nothing to sign callbacks with.
  await using store = await openBeside(environment)
  await rotateCallbackSecret(store, 'ada')

  const told = () => new Set(peer.received.map(({ path }) => path.slice(1)))
  const countLost = () => {
    const paths = told()
    return [...accepted].filter((id) => !paths.has(id)).length
  }
  await until(() => countLost() === 0, { withinMs: options.finishedWithinMs }).catch(
    () => undefined,
  )
  return {
    acceptedBefore,
    acceptedMeanwhile: accepted.size - acceptedBefore,
    lost: countLost(),
    requeued: await countRequeued(service),
  }
}

async function openOlder(
  environment: Record<string, string>,
  from: OlderVersion,
): Promise<WatchedDatabase> {
  const all = readMigrations()
  const migrations = all.slice(
    0,
    all.findIndex(({ purpose }) => purpose === from),
  )
  return await openDatabase({
    url: environment['TRAWL_DATABASE_URL'],
    dataDir: environment['TRAWL_DATA_DIR'] ?? '',
    log: silentLog,
    migrations,
  })
}

async function countRequeued(service: ServiceProcess): Promise<number> {
  const kinds = ['task', 'delivery']
  const counts = await Promise.all(
    kinds.map((kind) => service.metric(`trawl_orphans_requeued_total\\{kind="${kind}"\\}`)),
  )
  return counts.reduce((sum, count) => sum + count)
}

/**
 * Rotation of the store's encryption key. `secret_key_check` is encrypted with the key in use. During a
 * rotation `secret_key_retiring` holds the check's earlier value, encrypted with the key that some rows
 * still need. A process with both keys encrypts with the key of the check, so that processes can be
 * restarted with both keys one by one, and switches keys when the rotation begins.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { CannotUnseal, type MasterKeys, type Sealer } from '../../runtime/crypto/seal.ts'
import type { Log } from '../../runtime/log.ts'
import type { Database } from '../database.ts'
import { listKeysOfProcesses } from '../tables/listening-ports.ts'
import {
  addStoreProperty,
  deleteStoreProperty,
  findStoreProperty,
  listStoreProperties,
  putStorePropertyWhile,
  replaceStoreProperty,
  secretKeyCheck,
} from '../tables/store-properties.ts'
import { type ResealCounts, reseal } from './reseal.ts'
import { WrongSecretKey } from './secret-key.ts'

export interface KeyedStore {
  db: Database
  keys: MasterKeys
  sealer: Sealer
}

const check = secretKeyCheck
const retiring = 'secret_key_retiring'
const place = `store_properties ${check}`

/** Refuses keys that cannot decrypt this store's secrets, before anything is encrypted with them. */
export async function requireRightSecretKey({ db, keys, sealer }: KeyedStore): Promise<void> {
  const fresh = { name: check, value: sealer.seal('trawl', place) }
  const [current = ''] = await db.run(addStoreProperty(fresh))
  requireOpens(
    sealer,
    current,
    'TRAWL_SECRET_KEY is not the key this store was made with. Set the right one, or begin with an empty store. A new key needs the one before it in TRAWL_SECRET_KEY_PREVIOUS.',
  )
  const [old] = await db.run(findStoreProperty(retiring))
  requireOpens(
    sealer,
    old,
    'The rotation of TRAWL_SECRET_KEY is not complete. Set TRAWL_SECRET_KEY_PREVIOUS to the key before and run "npx trawl secrets rotate".',
  )
  keys.isPreviousInUse = sealer.stateOf(current) === 'previous'
}

function requireOpens(sealer: Sealer, sealed: string | undefined, message: string): void {
  try {
    if (sealed !== undefined) sealer.open(sealed, place)
  } catch (error) {
    if (!(error instanceof CannotUnseal)) throw error
    throw new WrongSecretKey(message, { cause: error })
  }
}

const pollIntervalMs = 1_000

const lacksStoreKey =
  'The store is encrypted with a key that this process does not have: it cannot read what others write, and what it writes may be lost. Restart it now with both keys.'

/**
 * Polls which key the store uses. A process with both keys switches to the new one as soon as the store
 * has, and a process that lacks the store's key logs an error.
 */
export function startKeyWatch({ db, keys, sealer, log }: KeyedStore & { log: Log }): Disposable {
  const timer = setInterval(poll, pollIntervalMs).unref()
  let isReported = false
  return { [Symbol.dispose]: () => clearInterval(timer) }

  async function poll(): Promise<void> {
    const [current] = await db.run(findStoreProperty(check)).catch(() => [])
    const state = current === undefined ? undefined : sealer.stateOf(current)
    if (state === 'unknown' && !isReported) {
      isReported = true
      log.error(lacksStoreKey)
    }
    if (state !== 'newest' || !keys.isPreviousInUse) return
    keys.isPreviousInUse = false
    log.info('Secrets are encrypted with the new TRAWL_SECRET_KEY from now on.')
  }
}

/**
 * Called before an undecryptable text is treated as lost: throws if this process lacks the store's key,
 * since other processes can decrypt the text.
 */
export async function requireStoreKey({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<void> {
  const [current = ''] = await db.run(findStoreProperty(check))
  if (sealer.stateOf(current) === 'unknown') throw new CannotUnseal(lacksStoreKey)
}

/** The rotation cannot begin or complete yet; `message` says what to do. */
export class RotationRefused extends Error {}

/** Rows written by a process without the new key would be lost when the previous key is removed. */
async function requireNewestEverywhere({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<void> {
  const processes = await db.run(listKeysOfProcesses(db.nowMs()))
  const lacking = processes.filter(({ keyIds }) => !keyIds.includes(sealer.keyIds[0] ?? ''))
  if (lacking.length === 0) return
  const places = lacking.map(({ address, port }) => `${address} port ${port}`).join(', ')
  throw new RotationRefused(
    `A process runs without the new key (listening on ${places}). Restart it with both keys and run this again; the previous key is still needed. One that was killed counts as running for 10 minutes.`,
  )
}

export interface RotationWatch {
  onProgress(table: string, counts: ResealCounts): void
  /** So many texts were written with the previous key after the change-over. */
  onStragglers(count: number): void
}

/** By then every process with both keys has polled the change, and its pending writes are done. */
const changeOverMs = 5 * pollIntervalMs

/**
 * Switches the store to the newest key and re-encrypts every row. It may be killed at any moment and
 * run again; it completes only when nothing encrypted with the previous key is left.
 */
export async function rotateSecretKey(
  { db, keys, sealer }: KeyedStore,
  { onProgress, onStragglers }: RotationWatch,
): Promise<ResealCounts> {
  await requireNewestEverywhere({ db, sealer })
  await beginRotation({ db, keys, sealer })
  const changedOver = pause(changeOverMs)
  const from = ['previous', 'plain'] as const
  const counts = await reseal({ db, sealer }, { from, onProgress })
  await changedOver
  // The second walk finds what was written during the first walk and the change-over.
  for (let walk = 2; ; walk++) {
    const more = await reseal({ db, sealer }, { from, onProgress })
    counts.sealed += more.sealed
    counts.unreadable = more.unreadable
    if (more.sealed === 0) break
    if (walk > 2) onStragglers(more.sealed)
    if (walk === walksMax) throw new RotationRefused(neverDone)
    await pause(pollIntervalMs)
  }
  counts.sealed += await resealProperties({ db, sealer })
  // Again, since a process that was starting when the rotation began may be running by now.
  await requireNewestEverywhere({ db, sealer })
  await db.run(deleteStoreProperty(retiring))
  return counts
}

/** What the third walk or a later one finds can only come from a process without the new key. */
const walksMax = 5

const neverDone = `After ${walksMax} walks through the store texts are still being written with the previous key: a process runs without the new one. Restart every process with both keys and run this again.`

/** Encrypted properties, such as the credentials of a first start that nobody has read yet. */
async function resealProperties({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<number> {
  const due = (await db.run(listStoreProperties())).filter(
    ({ name, value }) => name !== retiring && sealer.stateOf(value) === 'previous',
  )
  for (const { name, value } of due) {
    const where = `store_properties ${name}`
    const to = sealer.seal(sealer.open(value, where), where)
    await db.run(replaceStoreProperty({ name, from: value, to }))
  }
  return due.length
}

async function beginRotation({ db, keys, sealer }: KeyedStore): Promise<void> {
  keys.isPreviousInUse = false
  const [current = ''] = await db.run(findStoreProperty(check))
  const state = sealer.stateOf(current)
  if (state === 'newest') return
  if (state !== 'previous') {
    throw new WrongSecretKey(
      'The store is encrypted with neither key: another rotation has changed it to a third one. Set the keys that are in use now.',
    )
  }
  const [from, to] = [current, sealer.seal('trawl', place)]
  await db.transaction([
    // Only while the check is unchanged: if another rotation has completed, nobody would delete this.
    putStorePropertyWhile({ name: retiring, value: current }, { name: check, value: from }),
    replaceStoreProperty({ name: check, from, to }),
  ])
}

/** The previous key may be removed only once the store uses the newest one. */
export async function requireUnderNewest({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<void> {
  const [current = ''] = await db.run(findStoreProperty(check))
  if (sealer.stateOf(current) === 'newest') return
  throw new WrongSecretKey(
    'The store does not use the new key yet, so the previous one is kept. Restart the service and run this again.',
  )
}

/**
 * Which key a store is under. `secret_key_check` is sealed with the key in use; while a rotation is
 * under way, `secret_key_retiring` is what the check was before, sealed with the key that some rows
 * still need. A process with both keys encrypts with the one that the check names, so that processes
 * can be restarted with both one after the other, and changes over when the rotation begins.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../runtime/log.ts'
import { CannotUnseal, type MasterKeys, type Sealer } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { listKeysOfProcesses } from './listening-ports-table.ts'
import { type ResealCounts, reseal } from './reseal.ts'
import { WrongSecretKey } from './secret-key.ts'
import {
  addStoreProperty,
  deleteStoreProperty,
  findStoreProperty,
  listStoreProperties,
  putStorePropertyWhile,
  replaceStoreProperty,
  secretKeyCheck,
} from './store-properties-table.ts'

export interface KeyedStore {
  db: Database
  keys: MasterKeys
  sealer: Sealer
}

const check = secretKeyCheck
const retiring = 'secret_key_retiring'
const place = `store_properties ${check}`

/** Refuses keys that cannot open what this store has sealed, before anything is sealed with them. */
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
    'The rotation of TRAWL_SECRET_KEY has not come to its end. Set TRAWL_SECRET_KEY_PREVIOUS to the key before and run "npx trawl secrets rotate".',
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

const polledEveryMs = 1_000

const lacksStoreKey =
  'The store is under a key that this process does not have: it cannot read what others write, and what it writes may be lost. Restart it now with both keys.'

/**
 * Has a process that runs with both keys use the new one as soon as the store is under it, and reports
 * when the store is under a key that this process does not have.
 */
export function startKeyWatch({ db, keys, sealer, log }: KeyedStore & { log: Log }): Disposable {
  const timer = setInterval(poll, polledEveryMs).unref()
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
 * Before a text that cannot be opened is given up: a process that lacks the store's key leaves it to
 * others, which can open it.
 */
export async function requireStoreKey({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<void> {
  const [current = ''] = await db.run(findStoreProperty(check))
  if (sealer.stateOf(current) === 'unknown') throw new CannotUnseal(lacksStoreKey)
}

/** The rotation cannot begin or come to its end yet; `message` says what to do. */
export class RotationRefused extends Error {}

/** What a process without the new key writes would be lost with the previous one. */
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
  /** After the change-over, so many more texts had been written with the previous key. */
  onStragglers(count: number): void
}

/** By then every process that has both keys has noticed, and what it was about to write is written. */
const changeOverMs = 5 * polledEveryMs

/**
 * Puts the store under the newest key and encrypts every row anew. It may be ended at any moment and
 * started again; it comes to its end only when nothing under the previous key is left.
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
  // What was written while the first walk and the change-over went on is found by the second.
  for (let walk = 2; ; walk++) {
    const more = await reseal({ db, sealer }, { from, onProgress })
    counts.sealed += more.sealed
    counts.unreadable = more.unreadable
    if (more.sealed === 0) break
    if (walk > 2) onStragglers(more.sealed)
    if (walk === walksMax) throw new RotationRefused(neverDone)
    await pause(polledEveryMs)
  }
  counts.sealed += await resealProperties({ db, sealer })
  // Once more: one that was starting when the rotation began may be running by now.
  await requireNewestEverywhere({ db, sealer })
  await db.run(deleteStoreProperty(retiring))
  return counts
}

/** From the third on, only a process without the new key can have written what is found. */
const walksMax = 5

const neverDone = `After ${walksMax} walks through the store texts are still being written with the previous key: a process runs without the new one. Restart every process with both keys and run this again.`

/** Properties that are sealed, such as the credentials of a first start that nobody has seen yet. */
async function resealProperties({
  db,
  sealer,
}: Pick<KeyedStore, 'db' | 'sealer'>): Promise<number> {
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
      'The store is under neither key: another rotation has put it under a third one. Set the keys that are in use now.',
    )
  }
  const [from, to] = [current, sealer.seal('trawl', place)]
  await db.transaction([
    // Not once another rotation has done it all: nobody would take it away again.
    putStorePropertyWhile({ name: retiring, value: current }, { name: check, value: from }),
    replaceStoreProperty({ name: check, from, to }),
  ])
}

/** Whether the store is under the newest key; only then may the previous one be thrown away. */
export async function requireUnderNewest({ db, sealer }: Omit<KeyedStore, 'keys'>): Promise<void> {
  const [current = ''] = await db.run(findStoreProperty(check))
  if (sealer.stateOf(current) === 'newest') return
  throw new WrongSecretKey(
    'The store is not under the new key, so the previous one is kept. Restart the service and run this again.',
  )
}

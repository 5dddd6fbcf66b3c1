import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sealer } from '../runtime/seal.ts'
import { CannotUnseal } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { addStoreProperty, findStoreProperty } from './store-properties.ts'

/** The key is not the one the store's secrets were sealed with; `message` says what to do. */
export class WrongSecretKey extends Error {}

const keyBytes = 32
const property = 'secret_key_check'
const place = `store_properties ${property}`

/**
 * The key of an embedded store; whoever can read it can read the secrets. It is made for a store that has
 * sealed nothing yet. A store that has is missing its key: another one would only be in the way of it.
 */
export async function readOrMakeSecretKey(db: Database, dataDir: string): Promise<Uint8Array> {
  const path = join(dataDir, 'secret.key')
  if (!existsSync(path) && (await db.run(findStoreProperty(property))).length > 0) {
    throw new WrongSecretKey(
      `The key of this store is missing. Put ${path} back, or set TRAWL_SECRET_KEY to the key it was made with.`,
    )
  }
  // Not by process id: two containers on one volume may have the same.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, {
    mode: 0o600,
    flush: true,
  })
  try {
    // A link is made whole or not at all, and never over another: two starters end with one key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  const key = Buffer.from(readFileSync(path, 'utf8'), 'base64')
  if (key.length === keyBytes) return key
  throw new WrongSecretKey(
    `${path} does not hold a key. Put the right one back, or begin with an empty store.`,
  )
}

/** Refuses a key that cannot open what this store has sealed, before anything is sealed with it. */
export async function requireRightSecretKey(db: Database, sealer: Sealer): Promise<void> {
  const [sealed = ''] = await db.run(
    addStoreProperty({ name: property, value: sealer.seal('trawl', place) }),
  )
  try {
    sealer.open(sealed, place)
  } catch (error) {
    if (!(error instanceof CannotUnseal)) throw error
    throw new WrongSecretKey(
      'TRAWL_SECRET_KEY is not the key this store was made with. Set the right one, or begin with an empty store.',
      { cause: error },
    )
  }
}

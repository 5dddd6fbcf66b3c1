import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sealer } from '../runtime/seal.ts'
import { CannotUnseal } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { addStoreProperty } from './store-properties.ts'

/** The key is not the one the store's secrets were sealed with; `message` says what to do. */
export class WrongSecretKey extends Error {}

const keyBytes = 32

/** The key of an embedded store, made at the first start; whoever can read it can read the secrets. */
export function readOrMakeSecretKey(dataDir: string): Uint8Array {
  const path = join(dataDir, 'secret.key')
  // Not by process id: two containers on one volume may have the same.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  writeFileSync(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { mode: 0o600 })
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

const property = 'secret_key_check'
const place = `store_properties ${property}`

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

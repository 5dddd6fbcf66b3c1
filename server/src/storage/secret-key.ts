import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MasterKeys } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { findStoreProperty, secretKeyCheck } from './store-properties.ts'

/** The key is not the one the store's secrets were sealed with; `message` says what to do. */
export class WrongSecretKey extends Error {}

const keyBytes = 32

/**
 * The key of an embedded store; whoever can read it can read the secrets. It is made for a store that has
 * sealed nothing yet. A store that has is missing its key: another one would only be in the way of it.
 */
export async function readOrMakeSecretKey(db: Database, dataDir: string): Promise<MasterKeys> {
  const path = keyFileIn(dataDir)
  if (!existsSync(path)) {
    if ((await db.run(findStoreProperty(secretKeyCheck))).length > 0) {
      throw new WrongSecretKey(
        `The key of this store is missing. Put ${path} back, or set TRAWL_SECRET_KEY to the key it was made with.`,
      )
    }
    makeKeyFile(path)
  }
  return readKeyFile(path)
}

function makeKeyFile(path: string): void {
  const draft = writeDraft(path, [randomBytes(keyBytes)])
  try {
    // A link is made whole or not at all, and never over another: two starters end with one key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** Puts a new key before the one in use, which stays on the second line until everything is rotated. */
export function addKeyToFile(dataDir: string): void {
  const path = keyFileIn(dataDir)
  const { newest } = readKeyFile(path)
  renameSync(writeDraft(path, [randomBytes(keyBytes), newest]), path)
}

export function dropPreviousKeyFromFile(dataDir: string): void {
  const path = keyFileIn(dataDir)
  renameSync(writeDraft(path, [readKeyFile(path).newest]), path)
}

export const keyFileIn = (dataDir: string): string => join(dataDir, 'secret.key')

/** One key in base64 a line. */
function readKeyFile(path: string): MasterKeys {
  const lines = readFileSync(path, 'utf8').trim().split(/\s+/)
  const [newest, previous] = lines.map((line) => Buffer.from(line, 'base64'))
  const isRight = (key: Buffer | undefined) => key === undefined || key.length === keyBytes
  if (newest && lines.length <= 2 && isRight(newest) && isRight(previous)) {
    return { newest, previous }
  }
  throw new WrongSecretKey(
    `${path} does not hold a key. Put the right one back, or begin with an empty store.`,
  )
}

function writeDraft(path: string, keys: readonly Uint8Array[]): string {
  // Not by process id: two containers on one volume may have the same.
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  const lines = keys.map((key) => `${Buffer.from(key).toString('base64')}\n`)
  writeFileSync(draft, lines.join(''), { mode: 0o600, flush: true })
  return draft
}

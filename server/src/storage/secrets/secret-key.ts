import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { MasterKeys } from '../../runtime/crypto/seal.ts'
import { removeStaleDrafts, replaceFile, writeDraft } from '../../runtime/files/atomic-write.ts'
import type { Database } from '../database.ts'
import { findStoreProperty, secretKeyCheck } from '../tables/store-properties.ts'

/** The key cannot decrypt the store's secrets; `message` says what to do. */
export class WrongSecretKey extends Error {}

const keyBytes = 32

/**
 * Reads the key file of an embedded store, or creates it for a store that has encrypted nothing yet. If
 * the store has, its key file is missing, and a new key would be wrong.
 */
export async function readOrMakeSecretKey(db: Database, dataDir: string): Promise<MasterKeys> {
  const path = keyFileIn(dataDir)
  removeStaleDrafts(path)
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
  const draft = writeDraft(path, keyLines([randomBytes(keyBytes)]))
  try {
    // A hard link is atomic and never overwrites: two processes that start at once end with one key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** Puts a new key before the one in use, which stays on the second line until the rotation is complete. */
export function addKeyToFile(dataDir: string, { newest }: MasterKeys): void {
  changeKeyFile(dataDir, { from: [newest], to: [randomBytes(keyBytes), newest] })
}

export function dropPreviousKeyFromFile(dataDir: string, { newest, previous }: MasterKeys): void {
  changeKeyFile(dataDir, { from: previous ? [newest, previous] : [newest], to: [newest] })
}

/** Another process has changed, or is changing, the key file; `message` says what to do. */
export class KeyFileChanged extends Error {}

/**
 * Changes the file only if it still holds the keys that were loaded from it, so that of two concurrent
 * rotations the slower never overwrites the key of the faster.
 */
function changeKeyFile(
  dataDir: string,
  { from, to }: { from: readonly Uint8Array[]; to: readonly Uint8Array[] },
): void {
  const path = keyFileIn(dataDir)
  using _lock = lockFile(`${path}.lock`)
  const { newest, previous } = readKeyFile(path)
  if (keyLines(previous ? [newest, previous] : [newest]) !== keyLines(from)) {
    throw new KeyFileChanged(
      `${path} was changed while this command ran, so it was left as it is: another rotation is running or has completed. Wait for it, then restart the service before you rotate again.`,
    )
  }
  replaceFile(path, keyLines(to))
}

/**
 * The lock is held for a few milliseconds. A stale lock of a killed process is not removed automatically:
 * two processes that do so at once would both believe that they hold it.
 */
function lockFile(path: string): Disposable {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new KeyFileChanged(
      `Another rotation holds ${path}. Run this again; if no other rotation is running, remove that file first.`,
    )
  }
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) }
}

export const keyFileIn = (dataDir: string): string => join(dataDir, 'secret.key')

/** One base64 key per line. */
const keyLines = (keys: readonly Uint8Array[]): string =>
  keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join('')

function readKeyFile(path: string): MasterKeys {
  const lines = readText(path).trim().split(/\s+/)
  const [newest, previous] = lines.map((line) => Buffer.from(line, 'base64'))
  const isRight = (key: Buffer | undefined) => key === undefined || key.length === keyBytes
  if (newest && lines.length <= 2 && isRight(newest) && isRight(previous)) {
    return { newest, previous }
  }
  throw new WrongSecretKey(
    `${path} does not hold a key. Put the right one back, or begin with an empty store.`,
  )
}

/** The path may be a folder, or a symbolic link to nothing. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new WrongSecretKey(
      `${path} cannot be read as a file (${code}). Put the right key file back, or remove what is there if the store is empty.`,
      { cause: error },
    )
  }
}

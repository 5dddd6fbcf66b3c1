import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { removeStaleDrafts, replaceFile, writeDraft } from '../runtime/draft-file.ts'
import type { MasterKeys } from '../runtime/seal.ts'
import type { Database } from './database.ts'
import { findStoreProperty, secretKeyCheck } from './store-properties-table.ts'

/** The key is not the one the store's secrets were sealed with; `message` says what to do. */
export class WrongSecretKey extends Error {}

const keyBytes = 32

/**
 * The key of an embedded store; whoever can read it can read the secrets. It is made for a store that has
 * sealed nothing yet. A store that has is missing its key: another one would only be in the way of it.
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
    // A link is made whole or not at all, and never over another: two starters end with one key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** Puts a new key before the one in use, which stays on the second line until everything is rotated. */
export function addKeyToFile(dataDir: string, { newest }: MasterKeys): void {
  changeKeyFile(dataDir, { from: [newest], to: [randomBytes(keyBytes), newest] })
}

export function dropPreviousKeyFromFile(dataDir: string, { newest, previous }: MasterKeys): void {
  changeKeyFile(dataDir, { from: previous ? [newest, previous] : [newest], to: [newest] })
}

/** Another process has changed, or is changing, the key file; `message` says what to do. */
export class KeyFileChanged extends Error {}

/**
 * Changes the file only where it still holds the keys that were loaded from it, so that of two
 * rotations at once the slower one never writes over a key that the faster one has put there.
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
      `${path} was changed while this command ran, so it was left as it is: another rotation is under way or has come to its end. Wait for it, then restart the service before you rotate again.`,
    )
  }
  replaceFile(path, keyLines(to))
}

/**
 * It is held for a few milliseconds. One that a killed process left is not taken over by itself: two
 * processes that do so at once would both believe that they hold it.
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

/** One key in base64 a line. */
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

/** The name may be taken by a folder, or by a symbolic link to nothing. */
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

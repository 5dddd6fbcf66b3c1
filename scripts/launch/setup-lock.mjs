import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SetupProblem } from './setup-problem.mjs'

const pollMs = 250
const waitMsMax = 10 * 60_000

/** Holds a lock while one launcher installs. It is beside node_modules, since `npm ci` empties that. */
export async function withSetupLock(root, action) {
  const lock = join(root, '.cache', 'setup.lock')
  await acquire(lock, root)
  try {
    return await action()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

async function acquire(lock, root) {
  const giveUpAt = Date.now() + waitMsMax
  let isReported = false

  while (!tryAcquire(lock, root)) {
    const pid = readOwner(lock)
    if (pid !== undefined && isOfDead(pid)) {
      rmSync(lock, { recursive: true, force: true })
      continue
    }
    if (Date.now() > giveUpAt) {
      throw new SetupProblem(
        `[setup] Process ${pid} has been installing for too long. End it, or remove ${lock}.`,
        69,
      )
    }
    if (!isReported) console.error('[setup] dependencies ... another start installs them, waiting')
    isReported = true
    await wait(pollMs)
  }
}

// Renames a folder with the pid in it into place, so that the lock always has an owner. The rename fails
// while the folder of another owner exists.
function tryAcquire(lock, root) {
  const own = prepareOwnFolder(root)
  try {
    renameSync(own, lock)
    return true
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return false
    throw error
  }
}

function prepareOwnFolder(root) {
  try {
    mkdirSync(join(root, '.cache'), { recursive: true })
    const own = mkdtempSync(join(root, '.cache', 'setup-'))
    writeFileSync(join(own, 'pid'), String(process.pid))
    return own
  } catch (error) {
    throw SetupProblem.unwritable(root, error)
  }
}

function readOwner(lock) {
  try {
    return Number(readFileSync(join(lock, 'pid'), 'utf8'))
  } catch {
    return undefined // it was released just now
  }
}

/** This process holds no lock that it waits for: in a restarted container an earlier one had its number. */
function isOfDead(pid) {
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error.code !== 'EPERM'
  }
}

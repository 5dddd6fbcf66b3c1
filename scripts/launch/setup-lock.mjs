import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SetupProblem } from './setup-problem.mjs'

const pollMs = 250
const longestWaitMs = 10 * 60_000

/** Lets one launcher at a time install. `npm ci` empties node_modules, so the lock lies beside it. */
export async function withSetupLock(root, action) {
  const lock = join(root, '.cache', 'setup.lock')
  await take(lock, root)
  try {
    return await action()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

async function take(lock, root) {
  const giveUpAt = Date.now() + longestWaitMs
  let hasSaidSo = false

  while (!tryToTake(lock, root)) {
    const pid = readHolder(lock)
    if (pid !== undefined && !isAlive(pid)) {
      rmSync(lock, { recursive: true, force: true })
      continue
    }
    if (Date.now() > giveUpAt) {
      throw new SetupProblem(
        `[setup] Process ${pid} has been installing for too long. End it, or remove ${lock}.`,
        69,
      )
    }
    if (!hasSaidSo) console.error('[setup] dependencies ... another start installs them, waiting')
    hasSaidSo = true
    await wait(pollMs)
  }
}

// A folder that already holds its pid is renamed into place: no moment without an owner, and the
// rename fails while another one's folder lies there.
function tryToTake(lock, root) {
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

function readHolder(lock) {
  try {
    return Number(readFileSync(join(lock, 'pid'), 'utf8'))
  } catch {
    return undefined // given back this very moment
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

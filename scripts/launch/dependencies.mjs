import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants as signalNumbers } from 'node:os'
import { basename, join } from 'node:path'
import { coversLockfile } from './covers-lockfile.mjs'
import { exitCodeOf, stopSignals } from './run-program.mjs'
import { withSetupLock } from './setup-lock.mjs'
import { SetupProblem } from './setup-problem.mjs'

// No dependency needs an install script; a policy that blocks them would only print warnings.
const npmArguments = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/** Installs exactly what the lockfile says, unless that has been done; no work on every later start. */
export async function ensureDependencies(root) {
  const setup = {
    root,
    lockfile: readFileSync(join(root, 'package-lock.json'), 'utf8'),
    stampPath: join(root, 'node_modules', '.trawl-stamp'),
  }
  if (isFresh(setup)) return { wasInstalled: false }

  return await withSetupLock(root, async () => {
    if (isFresh(setup)) return { wasInstalled: true } // by the launcher that was waited for
    const wasInstalledByHand = coversLockfile(root, setup.lockfile)
    if (!wasInstalledByHand) await install(root)
    writeFileSync(setup.stampPath, stampOf(setup.lockfile))
    return { wasInstalled: !wasInstalledByHand }
  })
}

const stampOf = (lockfile) =>
  createHash('sha256').update(`${lockfile}\n${process.platform}\n${process.arch}`).digest('hex')

function isFresh({ lockfile, stampPath }) {
  try {
    return readFileSync(stampPath, 'utf8') === stampOf(lockfile)
  } catch {
    return false
  }
}

async function install(root) {
  requireWritable(join(root, 'node_modules'))
  const startedAt = Date.now()
  process.stderr.write('[setup] dependencies ... ')

  // Nothing goes to stdout: `npm start --silent` stays pipeable. There npm only counts packages.
  const { command, firstArguments } = findNpm()
  const npm = spawn(command, [...firstArguments, ...npmArguments], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  const exitCode = await exitCodeUnlessInterrupted(npm)
  if (exitCode !== 0) {
    throw new SetupProblem(
      `\n[setup] npm ci failed (exit ${exitCode}). Check the network or proxy, then run again.`,
      69,
    )
  }
  process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`)
}

async function exitCodeUnlessInterrupted(npm) {
  let interruptedBy
  const stop = (signal) => {
    interruptedBy = signal
    npm.kill('SIGKILL') // npm takes no notice of SIGTERM; the next `npm ci` repairs what is left
  }
  for (const signal of stopSignals) process.on(signal, stop)
  const exitCode = await exitCodeOf(npm).catch((error) => {
    throw new SetupProblem(`\n[setup] npm could not be started: ${error.message}`, 69)
  })
  for (const signal of stopSignals) process.off(signal, stop)

  if (interruptedBy) {
    throw new SetupProblem('\n[setup] interrupted', 128 + signalNumbers.signals[interruptedBy])
  }
  return exitCode
}

// Left behind by root, for example; npm would only say that some file could not be removed.
function requireWritable(nodeModules) {
  if (!existsSync(nodeModules)) return
  try {
    accessSync(nodeModules, constants.W_OK)
  } catch (error) {
    throw SetupProblem.unwritable(nodeModules, error)
  }
}

/** The npm that started us, else the one on PATH. Other package managers set the same variable. */
function findNpm() {
  const npmScript = process.env.npm_execpath
  if (npmScript && basename(npmScript).startsWith('npm-cli')) {
    const node = process.env.npm_node_execpath || process.execPath
    return { command: node, firstArguments: [npmScript] }
  }
  return { command: 'npm', firstArguments: [] }
}

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { constants as signalNumbers } from 'node:os'
import { basename, join } from 'node:path'
import { coversLockfile } from './covers-lockfile.mjs'
import { exitCodeOf, stopSignals } from './run-program.mjs'
import { withSetupLock } from './setup-lock.mjs'
import { SetupProblem } from './setup-problem.mjs'

// `npm ci` empties node_modules first. If the production packages are installed already, a service may be
// running on them, so `npm install --no-save` adds the others by the same lockfile.
const npmCommands = { replace: ['ci'], complete: ['install', '--no-save'] }
const npmSets = { production: '--omit=dev', all: '--include=dev' }

// No dependency needs an install script. `.npmrc` disables them too, but a variable could override that.
const npmArguments = [
  '--include=optional',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/**
 * Installs exactly the packages of the lockfile, unless they are installed already. `needed` is
 * `production`, or `all` to include the development dependencies. Packages beyond that stay: a start
 * never removes what a test run has installed.
 */
export async function ensureDependencies(root, needed) {
  const setup = {
    root,
    needed,
    lockfile: readFileSync(join(root, 'package-lock.json'), 'utf8'),
    stampPath: join(root, 'node_modules', '.trawl-stamp'),
    // Exists while npm runs, so a killed installation leaves it behind.
    markerPath: join(root, 'node_modules', '.trawl-installing'),
  }
  if (isFresh(setup)) return { wasInstalled: false }

  return await withSetupLock(root, async () => {
    if (isFresh(setup)) return { wasInstalled: true } // by the launcher that had the lock
    const present = findPresentSet(setup)
    const isEnough = present === 'all' || present === needed
    if (!isEnough) await install(setup, npmCommands[present ? 'complete' : 'replace'])
    writeFileSync(setup.stampPath, stampOf(setup.lockfile, isEnough ? present : needed))
    return { wasInstalled: !isEnough }
  })
}

function findPresentSet({ root, lockfile, markerPath }) {
  // npm takes a partly installed package for a complete one, so only `npm ci` repairs it.
  if (existsSync(markerPath)) return undefined
  return ['all', 'production'].find((set) => coversLockfile(root, lockfile, set))
}

function stampOf(lockfile, dependencySet) {
  const facts = [lockfile, process.platform, process.arch, dependencySet]
  return createHash('sha256').update(facts.join('\n')).digest('hex')
}

function isFresh({ lockfile, stampPath, needed }) {
  try {
    const stamp = readFileSync(stampPath, 'utf8')
    return ['all', needed].some((set) => stamp === stampOf(lockfile, set))
  } catch {
    return false
  }
}

async function install({ root, needed, markerPath }, npmCommand) {
  requireWritable(join(root, 'node_modules'))
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(markerPath, '')
  const startedAt = Date.now()
  process.stderr.write('[setup] dependencies ... ')

  // npm's stdout is discarded (it only counts packages), so that `npm start --silent` can be piped.
  const { command, firstArguments } = findNpm()
  const npm = spawn(command, [...firstArguments, ...npmCommand, npmSets[needed], ...npmArguments], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  const exitCode = await exitCodeUnlessInterrupted(npm)
  if (exitCode !== 0) {
    throw new SetupProblem(
      `\n[setup] npm ${npmCommand[0]} failed (exit ${exitCode}). Check the network or proxy, then run again.`,
      69,
    )
  }
  // `npm ci` has removed the marker with everything else; `npm install` has not.
  rmSync(markerPath, { force: true })
  process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`)
}

async function exitCodeUnlessInterrupted(npm) {
  let interruptedBy
  const stop = (signal) => {
    interruptedBy = signal
    npm.kill('SIGKILL') // npm ignores SIGTERM; the next run repairs a partial installation
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

// root may own the folder, for example. npm's own error would only name a file it could not remove.
function requireWritable(nodeModules) {
  if (!existsSync(nodeModules)) return
  try {
    accessSync(nodeModules, constants.W_OK)
  } catch (error) {
    throw SetupProblem.unwritable(nodeModules, error)
  }
}

/** The npm that started this process, else the one on PATH. Other package managers set the variable too. */
function findNpm() {
  const npmScript = process.env.npm_execpath
  if (npmScript && basename(npmScript).startsWith('npm-cli')) {
    const node = process.env.npm_node_execpath || process.execPath
    return { command: node, firstArguments: [npmScript] }
  }
  return { command: 'npm', firstArguments: [] }
}

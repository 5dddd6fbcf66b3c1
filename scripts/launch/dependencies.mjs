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

// `npm ci` empties node_modules first. Where the production packages are right already, a service may
// be running on them: then `npm install --no-save` adds the rest by the same lockfile.
const npmCommands = { replace: ['ci'], complete: ['install', '--no-save'] }
const npmSets = { production: '--omit=dev', all: '--include=dev' }

// No dependency needs an install script; .npmrc says so too, but a variable could overrule that.
const npmArguments = [
  '--include=optional',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
]

/**
 * Installs exactly what the lockfile says, unless that has been done; no work on every later start.
 * `needed` is `production`, or `all` with what develops and tests the service. More than is needed is
 * left as it is: a start never removes what the tests brought.
 */
export async function ensureDependencies(root, needed) {
  const setup = {
    root,
    needed,
    lockfile: readFileSync(join(root, 'package-lock.json'), 'utf8'),
    stampPath: join(root, 'node_modules', '.trawl-stamp'),
    // There while npm adds packages: an install that was killed leaves it behind.
    markerPath: join(root, 'node_modules', '.trawl-installing'),
  }
  if (isFresh(setup)) return { wasInstalled: false }

  return await withSetupLock(root, async () => {
    if (isFresh(setup)) return { wasInstalled: true } // by the launcher that was waited for
    const present = findPresentSet(setup)
    const isEnough = present === 'all' || present === needed
    if (!isEnough) await install(setup, npmCommands[present ? 'complete' : 'replace'])
    writeFileSync(setup.stampPath, stampOf(setup.lockfile, isEnough ? present : needed))
    return { wasInstalled: !isEnough }
  })
}

function findPresentSet({ root, lockfile, markerPath }) {
  // npm takes a package that is half there for one that is there, so only `npm ci` mends it.
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

  // Nothing goes to stdout: `npm start --silent` stays pipeable. There npm only counts packages.
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
  // `npm ci` has removed it with everything else.
  rmSync(markerPath, { force: true })
  process.stderr.write(`${Math.round((Date.now() - startedAt) / 1000)} s\n`)
}

async function exitCodeUnlessInterrupted(npm) {
  let interruptedBy
  const stop = (signal) => {
    interruptedBy = signal
    npm.kill('SIGKILL') // npm takes no notice of SIGTERM; `npm ci` repairs what is left at the next run
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

/**
 * Owns one PostgreSQL for a test process: it runs the `commands` that arrive on standard input and
 * reports on standard output when each is done. When the input ends, because the test process
 * exited or was killed, it stops the server and removes all of its files.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { findFreePort } from './free-port.ts'
import { copyPostgresBinaries } from './postgres-binaries.ts'

// PostgreSQL refuses to run as root; 65534 is `nobody` on most systems.
const isRoot = process.getuid?.() === 0
const runner = isRoot ? { uid: 65_534, gid: 65_534 } : {}
const settings = process.argv.slice(2)
const readyText = 'ready to accept connections'

const folder = await mkdtemp(join(tmpdir(), 'trawl-postgres-'))
const binaries = join(folder, 'native')
const cluster = join(folder, 'cluster')
let server: ChildProcess | undefined
let port = 0
const commands: Record<string, () => Promise<void>> = {
  start,
  stop: () => end('SIGINT'),
  abort: () => end('SIGQUIT'),
  kill: () => end('SIGKILL'),
  pause: () => signalAll('SIGSTOP'),
  resume: () => signalAll('SIGCONT'),
}

// When the test process is gone nobody reads the output, but the clean-up must still run.
process.stdout.on('error', () => {})

try {
  await createCluster()
  for await (const command of createInterface({ input: process.stdin })) {
    await commands[command]?.()
    process.stdout.write(`${command} ${port}\n`)
  }
} finally {
  await signalAll('SIGCONT')
  await end('SIGQUIT')
  await rm(folder, { recursive: true, force: true })
}

async function createCluster(): Promise<void> {
  await chmod(folder, 0o755)
  await copyPostgresBinaries(binaries)
  await mkdir(cluster, { mode: 0o700 })
  if (isRoot) await chown(cluster, 65_534, 65_534)
  const initdb = ['-D', cluster, '-U', 'trawl', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']
  await promisify(execFile)(join(binaries, 'bin/initdb'), initdb, { ...runner, cwd: folder })
}

async function start(): Promise<void> {
  if (isRunning(server)) return
  // The port stays the same, so that clients reconnect after a restart.
  port ||= await findFreePort()
  let output = await tryToStart()
  // After a kill the old server's children need a moment to exit and free the shared memory.
  while (output?.includes('shared memory block')) output = await tryToStart()
  if (output !== undefined) throw new Error(`PostgreSQL did not start:\n${output}`)
}

/** Returns the output if the server ended instead of becoming ready. */
async function tryToStart(): Promise<string | undefined> {
  const given = [...settings, `port=${port}`, 'listen_addresses=127.0.0.1']
  const options = [
    ...given,
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=32MB',
  ]
  const started = spawn(
    join(binaries, 'bin/postgres'),
    ['-D', cluster, ...options.flatMap((option) => ['-c', option])],
    { ...runner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } },
  )
  server = started
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  let output = ''
  // Reads the log for as long as the server runs: a full pipe would block it.
  started.stderr.on('data', (chunk) => {
    if (output.includes(readyText)) return
    output += String(chunk)
    if (output.includes(readyText)) resolve(undefined)
  })
  started.stderr.once('close', () => resolve(output))
  return await promise
}

async function end(signal: NodeJS.Signals): Promise<void> {
  const ending = server
  server = undefined
  if (!isRunning(ending)) return
  const exited = once(ending, 'exit')
  ending.kill(signal)
  await exited
}

/** The server may also have ended by itself, for example on a full disk. */
function isRunning(one: ChildProcess | undefined): one is ChildProcess {
  return one !== undefined && one.exitCode === null && one.signalCode === null
}

/** Signals the server first, so that it starts no process while its children are listed. */
async function signalAll(signal: NodeJS.Signals): Promise<void> {
  const pid = server?.pid
  if (pid === undefined || !server?.kill(signal)) return
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const child of children.split(' ').filter(Boolean)) trySignal(Number(child), signal)
}

function trySignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process has ended in the meantime.
  }
}

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A real PostgreSQL server on a free port of this machine. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of the database `postgres`, which always exists. */
  readonly url: string
  start(): Promise<void>
  /** A fast shutdown: the server closes open connections and writes everything. */
  stop(): Promise<void>
  /** An immediate shutdown, which needs crash recovery at the next start. */
  abort(): Promise<void>
  /** SIGKILL, like a power cut. */
  kill(): Promise<void>
  /** SIGSTOP, like a hung machine: connections stay open and nothing moves. */
  pause(): Promise<void>
  resume(): Promise<void>
}

/** `settings` are those of `postgresql.conf`; fsync stays on unless they turn it off. */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const supervisor = spawn(
    process.execPath,
    [fileURLToPath(new URL('./postgres-supervisor.ts', import.meta.url)), ...settings],
    // In a session of its own, so that Ctrl-C leaves the supervisor time to clean up.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  letProcessEnd(supervisor)
  const replies = createInterface({ input: supervisor.stdout })[Symbol.asyncIterator]()
  const send = async (command: string): Promise<string> => {
    holdProcess(supervisor)
    supervisor.stdin.write(`${command}\n`)
    const { value, done } = await replies.next()
    letProcessEnd(supervisor)
    assert(!done, 'The PostgreSQL supervisor ended.')
    return value
  }

  const port = (await send('start')).split(' ')[1]
  return {
    url: `postgres://trawl@127.0.0.1:${port}/postgres`,
    start: async () => void (await send('start')),
    stop: async () => void (await send('stop')),
    abort: async () => void (await send('abort')),
    kill: async () => void (await send('kill')),
    pause: async () => void (await send('pause')),
    resume: async () => void (await send('resume')),
    [Symbol.asyncDispose]: async () => {
      const exited = once(supervisor, 'exit')
      holdProcess(supervisor)
      supervisor.stdin.end()
      await exited
    },
  }
}

type Supervisor = ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream }

/** Lets a test file that is done exit although the shared server still runs. */
function letProcessEnd(supervisor: Supervisor): void {
  supervisor.unref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) unrefable(stream).unref()
}

function holdProcess(supervisor: Supervisor): void {
  supervisor.ref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) unrefable(stream).ref()
}

const unrefable = (stream: unknown) => stream as { ref(): void; unref(): void }

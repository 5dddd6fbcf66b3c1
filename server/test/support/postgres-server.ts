import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A real PostgreSQL of our own on a free port of this machine. */
export interface PostgresServer extends AsyncDisposable {
  /** Of the database that is always there. */
  readonly url: string
  start(): Promise<void>
  /** Like an operator does: open connections are closed, everything is written. */
  stop(): Promise<void>
  /** Like an operator does who cannot wait for it. */
  abort(): Promise<void>
  /** Like a power cut does. */
  kill(): Promise<void>
  /** Like a machine that hangs: connections stay open and nothing moves. */
  pause(): Promise<void>
  resume(): Promise<void>
}

/** `settings` are those of `postgresql.conf`; fsync stays on unless they say otherwise. */
export async function startPostgres(...settings: string[]): Promise<PostgresServer> {
  const supervisor = spawn(
    process.execPath,
    [fileURLToPath(new URL('./postgres-supervisor.ts', import.meta.url)), ...settings],
    // In a session of its own, so that an interrupt from the keyboard leaves it time to tidy up.
    { stdio: ['pipe', 'pipe', 'inherit'], detached: true },
  )
  letProcessEnd(supervisor)
  const answers = createInterface({ input: supervisor.stdout })[Symbol.asyncIterator]()
  const tell = async (command: string): Promise<string> => {
    holdProcess(supervisor)
    supervisor.stdin.write(`${command}\n`)
    const { value, done } = await answers.next()
    letProcessEnd(supervisor)
    assert(!done, 'The PostgreSQL supervisor ended.')
    return value
  }

  const port = (await tell('start')).split(' ')[1]
  return {
    url: `postgres://trawl@127.0.0.1:${port}/postgres`,
    start: async () => void (await tell('start')),
    stop: async () => void (await tell('stop')),
    abort: async () => void (await tell('abort')),
    kill: async () => void (await tell('kill')),
    pause: async () => void (await tell('pause')),
    resume: async () => void (await tell('resume')),
    [Symbol.asyncDispose]: async () => {
      const exited = once(supervisor, 'exit')
      holdProcess(supervisor)
      supervisor.stdin.end()
      await exited
    },
  }
}

type Supervisor = ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream }

/** A test file that is through must not be kept alive by the server it shared. */
function letProcessEnd(supervisor: Supervisor): void {
  supervisor.unref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) unrefable(stream).unref()
}

function holdProcess(supervisor: Supervisor): void {
  supervisor.ref()
  for (const stream of [supervisor.stdin, supervisor.stdout]) unrefable(stream).ref()
}

const unrefable = (stream: unknown) => stream as { ref(): void; unref(): void }

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CompatProblem } from './compat-problem.ts'

const cli = fileURLToPath(new URL('../../server/src/cli.ts', import.meta.url))
const startTimeoutMs = 30_000
const stopTimeoutMs = 15_000

export interface TrawlProcess extends AsyncDisposable {
  url: string
  /** What it said on stderr; at this log level, its banner and what went wrong. */
  said(): string
}

/** The service as a process of its own on a free port, with no settings but those given here. */
export async function startTrawlProcess(
  { folder, credentials }: { folder: string; credentials: Record<string, string> },
  signal: AbortSignal,
): Promise<TrawlProcess> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [cli, 'serve'], {
    cwd: folder, // no .env and no trawl.config.json there
    env: {
      PATH: process.env['PATH'],
      TRAWL_PORT: '0',
      TRAWL_DATA_DIR: folder,
      TRAWL_BROWSER_INSTALL: 'never',
      TRAWL_LOG_LEVEL: 'warn',
      // What the clients have fetched, and where they are called back, is on this machine.
      TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
      ...credentials,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const url = await whenReady().catch(async (error) => {
    await stop(child)
    signal.throwIfAborted()
    throw new CompatProblem(`The service did not start (${error.message}):\n${stderr}`)
  })
  return { url, said: () => stderr, [Symbol.asyncDispose]: () => stop(child) }

  async function whenReady(): Promise<string> {
    const ended = once(child, 'close').then(() => Promise.reject(new Error('it ended')))
    const soon = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)])
    for (;;) {
      const url = /API +(http:\S+)/.exec(stderr)?.[1]
      if (url) {
        ended.catch(() => undefined) // no longer waited for
        return url
      }
      await Promise.race([once(child.stderr, 'data', { signal: soon }), ended])
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  const hurry = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await ended
  clearTimeout(hurry)
}

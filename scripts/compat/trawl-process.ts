import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CompatProblem } from './command.ts'

const cli = fileURLToPath(new URL('../../server/src/cli.ts', import.meta.url))
const startTimeoutMs = 30_000
const stopTimeoutMs = 15_000

/**
 * Starts the service as a process on a free port, with only the settings given here. What it does not know
 * may be written to its folder too, which is removed with it.
 */
export async function startTrawlProcess(signal: AbortSignal, browserPath?: string) {
  signal.throwIfAborted()
  const home = await mkdtempDisposable(join(tmpdir(), 'trawl-compat-'))
  const folder = home.path
  const credentials = {
    TRAWL_API_KEY: randomUUID(),
    TRAWL_PASSWORD: randomUUID(),
    TRAWL_CALLBACK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
  }
  const child = spawn(process.execPath, [cli, 'serve'], {
    cwd: folder, // no .env and no trawl.config.json there
    env: {
      PATH: process.env['PATH'],
      TRAWL_PORT: '0',
      TRAWL_DATA_DIR: folder,
      ...(browserPath ? { TRAWL_BROWSER_PATH: browserPath } : {}),
      TRAWL_BROWSER_INSTALL: 'never',
      TRAWL_DASHBOARD: 'off',
      TRAWL_LOG_LEVEL: 'warn',
      // Targets and callbacks of the checks are on loopback.
      TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
      ...credentials,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const url = await whenReady().catch(async (error) => {
    await end()
    signal.throwIfAborted()
    throw new CompatProblem(`The service did not start (${error.message}):\n${stderr}`)
  })
  return { url, folder, credentials, stderr: () => stderr, [Symbol.asyncDispose]: end }

  async function end(): Promise<void> {
    await stop(child)
    await home.remove()
  }

  async function whenReady(): Promise<string> {
    const exited = once(child, 'close').then(() => Promise.reject(new Error('it exited')))
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)])
    for (;;) {
      const url = /API +(http:\S+)/.exec(stderr)?.[1]
      if (url) {
        exited.catch(() => undefined) // no longer awaited
        return url
      }
      await Promise.race([once(child.stderr, 'data', { signal: deadline }), exited])
    }
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'close')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await exited
  clearTimeout(timer)
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type AccountStore, createAccount } from '../../src/accounts/accounts.ts'
import { loadConfig } from '../../src/config.ts'
import { openStore } from '../../src/wiring/open-store.ts'
import { childEnvironment } from '../support/run-program.ts'
import { silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

/** Settings of every service under fault, besides its store. */
export const faultEnvironment = {
  TRAWL_API_KEY: 'the-key-of-the-faults',
  TRAWL_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
  TRAWL_LOG_LEVEL: 'warn',
} as const

const endedWithinMs = 60_000

/** `trawl serve` as a process that can be signalled; a restart keeps its address. */
export class ServiceProcess implements AsyncDisposable {
  url = ''
  readonly #environment: Record<string, string>
  #child: ChildProcess | undefined

  constructor(environment: Record<string, string>) {
    this.#environment = { ...faultEnvironment, ...environment }
  }

  /** Resolves with the time until it was ready. */
  async start(): Promise<number> {
    const startedAtMs = performance.now()
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(process.execPath, [cli, 'serve'], {
      cwd: this.#environment['TRAWL_DATA_DIR'],
      env: { ...childEnvironment(), ...this.#environment, TRAWL_PORT: port },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    let said = ''
    child.stderr.on('data', (chunk) => {
      if (said.length < 100_000) said += chunk
    })
    await until(() => / API +http:/.test(said) || child.exitCode !== null)
    const [, url] = / API +(http:\S+)/.exec(said) ?? []
    if (!url) throw new Error(`The service did not start:\n${said}`)
    this.url = url
    await until(() => isReady(url))
    return performance.now() - startedAtMs
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Resolves with the exit code and the time it took to end. */
  async end(signal: NodeJS.Signals): Promise<{ exitCode: number | null; tookMs: number }> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) {
      return { exitCode: null, tookMs: 0 }
    }
    const askedAtMs = performance.now()
    const ended = once(this.#child, 'exit', { signal: AbortSignal.timeout(endedWithinMs) })
    this.#child.kill(signal)
    const [exitCode] = await ended
    return { exitCode, tookMs: performance.now() - askedAtMs }
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A process stopped by SIGSTOP handles no other signal.
    await this.end('SIGKILL')
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.status === 200
}

/** Opens the store of a service once more, as the command line does. */
export async function openBeside(
  environment: Record<string, string>,
): Promise<AccountStore & AsyncDisposable> {
  const { config } = loadConfig({}, environment, environment['TRAWL_DATA_DIR'])
  const store = await openStore(config, silentLog)
  return { ...store, [Symbol.asyncDispose]: () => store.db[Symbol.asyncDispose]() }
}

/** Creates an account and returns its API key. */
export async function addAccount(store: AccountStore, username: string): Promise<string> {
  return (await createAccount(store, { username })).apiKey
}

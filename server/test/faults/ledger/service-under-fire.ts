import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CrashPoint } from '../../../src/runtime/crash-point.ts'

const script = fileURLToPath(new URL('./ledger-service.ts', import.meta.url))

/** A service that is killed and started again, always at the same address. */
export class ServiceUnderFire implements AsyncDisposable {
  /** When it died, each time. */
  readonly deathsAtMs: number[] = []
  /** When it ended its work because the store did not answer, each time. */
  readonly outagesAtMs: number[] = []
  url = ''
  readonly #environment: Record<string, string>
  #child: ChildProcess | undefined

  constructor(environment: Record<string, string>) {
    this.#environment = environment
  }

  /** Resolves when it is ready, or has died on the way there. */
  async start(crash?: { point: CrashPoint; times: number }): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const environment = { ...this.#environment, TRAWL_PORT: port }
    const child = spawn(process.execPath, [script, JSON.stringify({ environment, crash })], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#child = child
    child.once('exit', () => this.deathsAtMs.push(performance.now()))
    createInterface({ input: child.stderr }).on('line', (line) => this.#hear(line))
    const lines = createInterface({ input: child.stdout })
    const ready = once(lines, 'line').then(([line]) => {
      this.url = line
    })
    await Promise.race([ready, once(child, 'exit')])
  }

  #hear(line: string): void {
    if (line.includes('did not answer for most of a lease')) {
      this.outagesAtMs.push(performance.now())
    } else if (!line.includes('"level":40')) console.error(line)
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && !this.#child.signalCode
  }

  async kill(): Promise<void> {
    if (!this.#child || !this.isRunning) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  /** Resolves with whether it died by itself in time. */
  async diesWithin(ms: number): Promise<boolean> {
    if (!this.#child || !this.isRunning) return true
    const died = once(this.#child, 'exit', { signal: AbortSignal.timeout(ms) })
    return died.then(
      () => true,
      () => false,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { leasesMissedMessage } from '../../../src/queue/lease-keeper.ts'
import type { CrashPoint } from '../../../src/runtime/crash-point.ts'
import { sortableId } from '../../../src/runtime/sortable-id.ts'

const script = fileURLToPath(new URL('./ledger-service.ts', import.meta.url))

export const apiKey = 'ledger-key-0123456789'
export const callbackSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Leases and schedules are short, to see more faults in the same time. */
export const killableEnvironment: Record<string, string> = {
  TRAWL_API_KEY: apiKey,
  TRAWL_CALLBACK_SECRET: callbackSecret,
  TRAWL_EGRESS_ALLOW: '127.0.0.0/8',
  TRAWL_LEASE: '1s',
  TRAWL_DELIVERY_SCHEDULE: ['0s', ...Array.from({ length: 30 }, () => '300ms')].join(','),
  TRAWL_RESULT_RETENTION: '2s',
}

// Warnings and errors about the store outages that these runs cause.
const expectedLines = /"level":40|"code":"STORE_(UNAVAILABLE|FULL)"|PostgreSQL does not answer/

/** A service that is killed and started again, always at the same address. */
export class KillableService implements AsyncDisposable {
  /** When it died, each time. */
  readonly deathsAtMs: number[] = []
  /** The time of each stop because the store did not respond. */
  readonly outagesAtMs: number[] = []
  url = ''
  /** Sorts before the id of the process that runs, and after those of all that have died. */
  startedId = ''
  readonly #environment: Record<string, string>
  #child: ChildProcess | undefined

  constructor(environment: Record<string, string>) {
    this.#environment = environment
  }

  /** Resolves when it is ready or has died before that. */
  async start(crash?: { point: CrashPoint; times: number }): Promise<void> {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const environment = { ...this.#environment, TRAWL_PORT: port }
    this.startedId = sortableId()
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
    if (line.includes(leasesMissedMessage)) {
      this.outagesAtMs.push(performance.now())
    } else if (!expectedLines.test(line)) console.error(line)
  }

  /** Lets it die the n-th time from now on that it reaches the crash point. */
  dieAt(point: CrashPoint, times: number): void {
    this.sendCommand(`crash ${point} ${times}`)
  }

  /** Says a word to it; `ledger-service.ts` knows which there are. */
  sendCommand(line: string): void {
    this.#child?.stdin?.write(`${line}\n`)
  }

  get pid(): number | undefined {
    return this.#child?.pid
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

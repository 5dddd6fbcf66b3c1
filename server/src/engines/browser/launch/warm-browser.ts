import { Failure } from '../../../domain/failure.ts'
import type { Log } from '../../../runtime/log.ts'
import { memoryBytes } from '../../../runtime/process-load.ts'
import type { BrowserSettings, LaunchableBrowser } from '../../install/browser-candidates.ts'
import { removeOrphanedHomes } from './browser-home.ts'
import { BrowserNotStarted, startBrowserProcess } from './browser-process.ts'
import { type LaunchMode, launchModes } from './launch-modes.ts'
import { launchWithFallback } from './launch-with-fallback.ts'
import { type MemoryLimits, watchMemory } from './memory-watchdog.ts'
import { RunningBrowser } from './running-browser.ts'

export interface WarmBrowserParts {
  /** What is installed; asked at every start, as it may have come meanwhile. */
  browser: () => LaunchableBrowser | undefined
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
  log: Log
  onRestart(reason: RestartReason): void
  limits?: Partial<BrowserLimits>
}

/** When a browser is worn out. */
export interface BrowserLimits extends MemoryLimits {
  visitsMax: number
  ageMsMax: number
}

/** None once it could be started. */
export interface FailedStarts {
  inARow: number
  /** By `performance.now()`. */
  lastAtMs: number
}

export type RestartReason = 'used' | 'old' | 'large' | 'stuck' | 'crashed'

/** One browser and those who use it; it ends when it is retired and the last of them is gone. */
interface Kept {
  browser: RunningBrowser
  startedAtMs: number
  users: number
  visits: number
  crashesInARow: number
  isRetired: boolean
}

const defaultLimits = (): BrowserLimits => ({
  visitsMax: 1_000,
  ageMsMax: 60 * 60_000,
  rendererBytesMax: Math.min(2 ** 30, memoryBytes() / 2),
  otherProcessBytesMax: Math.min(2 ** 31, memoryBytes() / 2),
  familyBytesMax: memoryBytes() / 2,
  familyBytesEnd: memoryBytes() * 0.75,
})

const unguarded =
  ' Chromium runs without its sandbox: a page that breaks out of it has the rights of its user.'

// A browser that has lost a part of itself may run on and have every page crash.
const crashesInARowMax = 3

/** Keeps one browser running from its first use on, and has another ready when it is worn out. */
export class WarmBrowser implements AsyncDisposable {
  readonly #parts: WarmBrowserParts
  readonly #limits: BrowserLimits
  readonly #kept = new Set<Kept>()
  #current: Promise<Kept> | undefined
  #way: LaunchMode | undefined
  #failedStarts: FailedStarts = { inARow: 0, lastAtMs: 0 }
  #isOver = false

  constructor(parts: WarmBrowserParts) {
    this.#parts = parts
    this.#limits = { ...defaultLimits(), ...parts.limits }
    void removeOrphanedHomes()
  }

  /** How it runs, once it has run. */
  get sandbox(): 'on' | 'off' | null {
    return this.#way?.sandbox ?? null
  }

  get failedStarts(): FailedStarts {
    return this.#failedStarts
  }

  async use<Value>(work: (browser: RunningBrowser) => Promise<Value>): Promise<Value> {
    const kept = await this.#running()
    kept.users += 1
    kept.visits += 1
    try {
      const value = await work(kept.browser)
      kept.crashesInARow = 0
      return value
    } catch (error) {
      const isCrash = error instanceof Failure && error.code === 'BROWSER_CRASHED'
      kept.crashesInARow = isCrash ? kept.crashesInARow + 1 : 0
      throw error
    } finally {
      kept.users -= 1
      this.#judge(kept)
      this.#endIfUnused(kept)
    }
  }

  #judge(kept: Kept): void {
    const { visitsMax, ageMsMax } = this.#limits
    if (kept.crashesInARow >= crashesInARowMax) this.#retire(kept, 'stuck')
    else if (kept.visits >= visitsMax) this.#retire(kept, 'used')
    else if (performance.now() - kept.startedAtMs > ageMsMax) this.#retire(kept, 'old')
  }

  /** It does not answer any more: whoever uses it loses what it was doing. */
  kill(browser: RunningBrowser, reason: RestartReason): void {
    for (const kept of this.#kept) {
      if (kept.browser === browser) this.#retire(kept, reason)
    }
    browser.process.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await this.#current?.catch(() => undefined)
    for (const kept of this.#kept) kept.isRetired = true
    await Promise.all([...this.#kept].map(({ browser }) => browser.process[Symbol.asyncDispose]()))
  }

  async #running(): Promise<Kept> {
    for (;;) {
      if (this.#isOver) throw new BrowserNotStarted('The service is stopping.')
      this.#current ??= this.#start()
      const kept = await this.#current
      // The last visit of a worn-out browser may have ended in the same moment.
      if (!kept.isRetired) return kept
    }
  }

  async #start(): Promise<Kept> {
    try {
      const browser = await this.#launch()
      this.#failedStarts = { inARow: 0, lastAtMs: 0 }
      const kept: Kept = {
        browser,
        startedAtMs: performance.now(),
        users: 0,
        visits: 0,
        crashesInARow: 0,
        isRetired: false,
      }
      this.#keep(kept)
      return kept
    } catch (error) {
      this.#current = undefined
      const inARow = this.#failedStarts.inARow + 1
      this.#failedStarts = { inARow, lastAtMs: performance.now() }
      this.#parts.log.error({ err: error }, 'The browser could not be started.')
      throw error
    }
  }

  #keep(kept: Kept): void {
    const { process } = kept.browser
    const memory = watchMemory({
      pid: process.pid,
      limits: this.#limits,
      isInUse: () => kept.users > 0,
      onLarge: () => this.#retire(kept, 'large'),
      onHuge: () => this.kill(kept.browser, 'large'),
    })
    this.#kept.add(kept)
    void process.whenEnded.then(() => {
      memory[Symbol.dispose]()
      this.#retire(kept, 'crashed')
    })
    void process.whenGone.then(() => this.#kept.delete(kept))
  }

  async #launch(): Promise<RunningBrowser> {
    const { browser, sandbox, isRoot, log } = this.#parts
    const installed = browser()
    if (!installed) throw new BrowserNotStarted('No Chromium is installed.')
    const ways = this.#way ? [this.#way] : launchModes({ sandbox, isRoot })
    const { started, way, complaints } = await launchWithFallback(ways, async (tried) =>
      RunningBrowser.over(await startBrowserProcess(installed, tried)),
    )
    if (!this.#way && way.sandbox === 'off') log.warn(`${complaints.join(' ')}${unguarded}`)
    this.#way = way
    return started
  }

  #retire(kept: Kept, reason: RestartReason): void {
    if (kept.isRetired) return
    kept.isRetired = true
    this.#current = undefined
    this.#parts.onRestart(reason)
    this.#endIfUnused(kept)
  }

  #endIfUnused({ browser, isRetired, users }: Kept): void {
    if (isRetired && users === 0) browser.process.kill()
  }
}

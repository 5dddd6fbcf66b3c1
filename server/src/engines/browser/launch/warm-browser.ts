import { Failure } from '../../../domain/failure.ts'
import type { Log } from '../../../runtime/log.ts'
import { memoryBytes } from '../../../runtime/machine/process-load.ts'
import { RepeatedLines } from '../../../runtime/repeated-lines.ts'
import type { BrowserSettings, LaunchableBrowser } from '../../install/browser-candidates.ts'
import { removeOrphanedHomes } from './browser-home.ts'
import {
  type BrowserExit,
  BrowserNotStarted,
  launchWithFallback,
  startBrowserProcess,
} from './browser-process.ts'
import { type LaunchMode, launchModes } from './launch-modes.ts'
import { RunningBrowser } from './running-browser.ts'
import { type MemoryLimits, watchCpu, watchGpu, watchMemory } from './watchdogs.ts'

export interface WarmBrowserParts {
  /** The installed browser; read at every start, as it may have been installed meanwhile. */
  browser: () => LaunchableBrowser | undefined
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
  log: Log
  onRestart(reason: RestartReason): void
  limits?: Partial<BrowserLimits>
}

/** When a browser is recycled: replaced by a new one. */
export interface BrowserLimits extends MemoryLimits {
  visitsMax: number
  ageMsMax: number
  /** For one command of a page to the GPU, such as to draw something. */
  gpuCommandMsMax: number
}

/** Failed starts since the last successful one. */
export interface FailedStarts {
  consecutive: number
  /** By `performance.now()`. */
  lastAtMs: number
}

export type RestartReason = 'used' | 'old' | 'large' | 'stuck' | 'crashed' | 'no_webgl'

/** One browser and its use counts. Once retired, it is killed when its last user has finished. */
type BrowserInstance = ReturnType<typeof newInstance>

const newInstance = (browser: RunningBrowser) => ({
  browser,
  startedAtMs: performance.now(),
  users: 0,
  visits: 0,
  consecutiveCrashes: 0,
  isRetired: false,
})

const defaultLimits = (): BrowserLimits => ({
  visitsMax: 1_000,
  ageMsMax: 60 * 60_000,
  gpuCommandMsMax: 3_000,
  rendererBytesMax: Math.min(2 ** 30, memoryBytes() / 2),
  otherProcessBytesMax: Math.min(2 ** 31, memoryBytes() / 2),
  treeBytesMax: memoryBytes() / 2,
  treeBytesHardMax: memoryBytes() * 0.75,
})

const noSandbox =
  ' Chromium runs without its sandbox: a page that breaks out of it has the rights of its user.'

/** Why a browser is replaced before its time; the others are as planned. */
const troubles: Partial<Record<RestartReason, string>> = {
  large: 'The browser uses more memory than allowed',
  stuck: 'The browser does not respond, or crashes every page',
  crashed: 'The browser exited unexpectedly',
  no_webgl: 'The browser has no WebGL since pages hung its GPU process three times',
}

// A browser that has lost one of its processes may keep running while every page crashes.
const consecutiveCrashesMax = 3

/** Keeps one browser running from its first use on, and recycles it when it reaches a limit. */
export class WarmBrowser implements AsyncDisposable {
  readonly #parts: WarmBrowserParts
  readonly #limits: BrowserLimits
  readonly #troubleLines: RepeatedLines
  readonly #instances = new Set<BrowserInstance>()
  #current: Promise<BrowserInstance> | undefined
  #mode: LaunchMode | undefined
  #failedStarts: FailedStarts = { consecutive: 0, lastAtMs: 0 }
  #isDisposed = false

  constructor(parts: WarmBrowserParts) {
    this.#parts = parts
    this.#limits = { ...defaultLimits(), ...parts.limits }
    this.#troubleLines = new RepeatedLines(parts.log)
    void removeOrphanedHomes()
  }

  /** Whether the last started browser has its sandbox; null before the first start. */
  get sandbox(): 'on' | 'off' | null {
    return this.#mode?.sandbox ?? null
  }

  get failedStarts(): FailedStarts {
    return this.#failedStarts
  }

  async use<Value>(work: (browser: RunningBrowser) => Promise<Value>): Promise<Value> {
    const instance = await this.#running()
    instance.users += 1
    instance.visits += 1
    try {
      const value = await work(instance.browser)
      instance.consecutiveCrashes = 0
      return value
    } catch (error) {
      const isCrash = error instanceof Failure && error.code === 'BROWSER_CRASHED'
      instance.consecutiveCrashes = isCrash ? instance.consecutiveCrashes + 1 : 0
      throw error
    } finally {
      instance.users -= 1
      this.#retireIfWornOut(instance)
      this.#killIfUnused(instance)
    }
  }

  #retireIfWornOut(instance: BrowserInstance): void {
    const { visitsMax, ageMsMax } = this.#limits
    if (instance.consecutiveCrashes >= consecutiveCrashesMax) this.#retire(instance, 'stuck')
    else if (instance.visits >= visitsMax) this.#retire(instance, 'used')
    else if (performance.now() - instance.startedAtMs > ageMsMax) this.#retire(instance, 'old')
  }

  /** Kills a browser that no longer answers; the visits in it fail. */
  kill(browser: RunningBrowser, reason: RestartReason): void {
    for (const instance of this.#instances) {
      if (instance.browser === browser) this.#retire(instance, reason, { isLost: true })
    }
    browser.process.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    this.#troubleLines[Symbol.dispose]()
    await this.#current?.catch(() => undefined)
    for (const instance of this.#instances) instance.isRetired = true
    await Promise.all(
      [...this.#instances].map(({ browser }) => browser.process[Symbol.asyncDispose]()),
    )
  }

  async #running(): Promise<BrowserInstance> {
    for (;;) {
      if (this.#isDisposed) throw new BrowserNotStarted('The service is stopping.')
      this.#current ??= this.#start()
      const instance = await this.#current
      // The browser may have been retired since the promise resolved.
      if (!instance.isRetired) return instance
    }
  }

  async #start(): Promise<BrowserInstance> {
    try {
      const instance = newInstance(await this.#launch())
      this.#failedStarts = { consecutive: 0, lastAtMs: 0 }
      this.#supervise(instance)
      return instance
    } catch (error) {
      this.#current = undefined
      const consecutive = this.#failedStarts.consecutive + 1
      this.#failedStarts = { consecutive, lastAtMs: performance.now() }
      this.#parts.log.error({ err: error }, 'The browser did not start; the next task tries again.')
      throw error
    }
  }

  #supervise(instance: BrowserInstance): void {
    const { process } = instance.browser
    const { pid } = process
    const isInUse = () => instance.users > 0
    const watchdogs = [
      watchCpu({ pid, isInUse }),
      watchGpu({
        pid,
        commandMsMax: this.#limits.gpuCommandMsMax,
        onWebGlLost: () => this.#retire(instance, 'no_webgl'),
      }),
      watchMemory({
        pid,
        limits: this.#limits,
        isInUse,
        onTreeMax: () => this.#retire(instance, 'large'),
        onTreeHardMax: () => this.kill(instance.browser, 'large'),
      }),
    ]
    this.#instances.add(instance)
    void process.whenExited.then((exit) => {
      for (const watchdog of watchdogs) watchdog[Symbol.dispose]()
      this.#retire(instance, 'crashed', { isLost: true, ...exit })
    })
    void process.whenCleanedUp.then(() => this.#instances.delete(instance))
  }

  async #launch(): Promise<RunningBrowser> {
    const { browser, sandbox, isRoot, log } = this.#parts
    const installed = browser()
    if (!installed) throw new BrowserNotStarted('Chromium is not installed.')
    const modes = this.#mode ? [this.#mode] : launchModes({ sandbox, isRoot })
    const { started, mode, failures } = await launchWithFallback(modes, async (tried) =>
      RunningBrowser.connect(await startBrowserProcess(installed, tried)),
    )
    if (!this.#mode && mode.sandbox === 'off') log.warn(`${failures.join(' ')}${noSandbox}`)
    this.#mode = mode
    return started
  }

  #retire(
    instance: BrowserInstance,
    reason: RestartReason,
    end: { isLost: boolean } & Partial<BrowserExit> = { isLost: false },
  ): void {
    if (instance.isRetired) return
    instance.isRetired = true
    this.#current = undefined
    this.#parts.onRestart(reason)
    this.#logTrouble(instance, reason, end)
    this.#killIfUnused(instance)
  }

  #logTrouble(
    { users }: BrowserInstance,
    reason: RestartReason,
    { isLost, ...exit }: { isLost: boolean } & Partial<BrowserExit>,
  ): void {
    const trouble = troubles[reason]
    if (!trouble) return
    const pages = users === 1 ? 'the open page' : `all ${users} open pages`
    const fate = isLost ? `${pages} failed with BROWSER_CRASHED` : `${pages} will be finished`
    const message = `${trouble}; ${users > 0 ? fate : 'no page was open'}. The next page starts a new browser.`
    this.#troubleLines.warn({ reason, ...exit }, message)
  }

  #killIfUnused({ browser, isRetired, users }: BrowserInstance): void {
    if (isRetired && users === 0) browser.process.kill()
  }
}

import type { Log } from '../../runtime/log.ts'
import type { BrowserSettings } from '../browser-candidates.ts'
import { removeOrphanedHomes } from './browser-home.ts'
import {
  BrowserNotStarted,
  type LaunchableBrowser,
  startBrowserProcess,
} from './browser-process.ts'
import { explainLaunch, type LaunchWay, waysToLaunch } from './launch-ways.ts'
import { watchMemory } from './memory-watch.ts'
import { RunningBrowser } from './running-browser.ts'

export interface WarmBrowserParts {
  /** What is installed; asked at every start, as it may have come meanwhile. */
  browser: () => LaunchableBrowser | undefined
  sandbox: BrowserSettings['sandbox']
  isRoot: boolean
  log: Log
  onRestart(reason: RestartReason): void
}

export type RestartReason = 'used' | 'old' | 'large' | 'stuck' | 'crashed'

/** One browser and those who use it; it ends when it is retired and the last of them is gone. */
interface Kept {
  browser: RunningBrowser
  way: LaunchWay
  startedAtMs: number
  users: number
  visits: number
  isRetired: boolean
}

const visitsMax = 1_000
const ageMsMax = 60 * 60_000

/** Keeps one browser running from its first use on, and has another ready when it is worn out. */
export class WarmBrowser implements AsyncDisposable {
  readonly #parts: WarmBrowserParts
  readonly #ending = new Set<Promise<void>>()
  #current: Promise<Kept> | undefined
  #way: LaunchWay | undefined

  constructor(parts: WarmBrowserParts) {
    this.#parts = parts
    void removeOrphanedHomes()
  }

  /** How it runs, once it has run. */
  get sandbox(): 'on' | 'off' | null {
    return this.#way?.sandbox ?? null
  }

  async use<Value>(work: (browser: RunningBrowser) => Promise<Value>): Promise<Value> {
    const kept = await this.#running()
    kept.users += 1
    kept.visits += 1
    try {
      return await work(kept.browser)
    } finally {
      kept.users -= 1
      if (kept.visits >= visitsMax) this.#retire(kept, 'used')
      else if (performance.now() - kept.startedAtMs > ageMsMax) this.#retire(kept, 'old')
      this.#endIfUnused(kept)
    }
  }

  /** It does not answer any more, or has grown too large: whoever uses it loses what it was doing. */
  async kill(browser: RunningBrowser, reason: RestartReason): Promise<void> {
    const kept = await this.#current?.catch(() => undefined)
    if (kept?.browser === browser) this.#retire(kept, reason)
    browser.process.kill()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const kept = await this.#current?.catch(() => undefined)
    this.#current = undefined
    if (kept) {
      kept.isRetired = true
      await kept.browser.process[Symbol.asyncDispose]()
    }
    await Promise.all(this.#ending)
  }

  #running(): Promise<Kept> {
    this.#current ??= this.#start()
    return this.#current
  }

  async #start(): Promise<Kept> {
    try {
      const { browser, way } = await this.#launch()
      this.#way = way
      const kept: Kept = {
        browser,
        way,
        startedAtMs: performance.now(),
        users: 0,
        visits: 0,
        isRetired: false,
      }
      const memory = watchMemory({
        pid: browser.process.pid,
        isInUse: () => kept.users > 0,
        onLarge: () => this.#retire(kept, 'large'),
      })
      void browser.process.whenGone.then(() => {
        memory[Symbol.dispose]()
        this.#retire(kept, 'crashed')
      })
      return kept
    } catch (error) {
      this.#current = undefined
      throw error
    }
  }

  async #launch(): Promise<{ browser: RunningBrowser; way: LaunchWay }> {
    const { browser, sandbox, isRoot, log } = this.#parts
    const installed = browser()
    if (!installed) throw new BrowserNotStarted('No Chromium is installed.')
    const complaints: string[] = []
    for (const way of this.#way ? [this.#way] : waysToLaunch({ sandbox, isRoot })) {
      try {
        const process = await startBrowserProcess(installed, way)
        if (complaints.length > 0) log.warn(complaints.join(' '))
        return { browser: await RunningBrowser.over(process), way }
      } catch (error) {
        complaints.push(explainLaunch(error instanceof Error ? error.message : '', way))
      }
    }
    throw new BrowserNotStarted(complaints.join(' '))
  }

  #retire(kept: Kept, reason: RestartReason): void {
    if (kept.isRetired) return
    kept.isRetired = true
    this.#current = undefined
    this.#parts.onRestart(reason)
    this.#endIfUnused(kept)
  }

  #endIfUnused(kept: Kept): void {
    if (!kept.isRetired || kept.users > 0) return
    const { process } = kept.browser
    process.kill()
    const ending = process.whenGone.finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
  }
}

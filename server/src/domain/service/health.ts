/** The facts that the health checks depend on, at one moment. */
export interface HealthFacts {
  isStoreAnswering: boolean
  /** Why the store is not used until somebody acts, even if it answers. */
  storeRefusal?: string | undefined
  /** The free share of the disk of the data folder, 0 to 1; undefined if it cannot be measured. */
  diskFreeShare: number | undefined
  /** New work is rejected because the disk is low. */
  isDiskLow: boolean
  isDraining: boolean
  browser: BrowserFacts
}

export type BrowserState = 'absent' | 'installing' | 'broken' | 'ready'

/** The browser of this process, or that of another worker. */
export interface BrowserFacts {
  state: BrowserState
  isElsewhere: boolean
  version: string | null
  flavor: 'shell' | 'chrome' | null
  /** Null until the browser was started. */
  sandbox: 'on' | 'off' | null
  /** Null until a page was opened or failed to open. */
  opensPages: boolean | null
}

export type CheckName = 'store' | 'disk' | 'accepting' | 'browser'
export type Checks = Record<CheckName, { isOk: boolean; detail: string }>
export type HealthStatus = 'ok' | 'degraded' | 'unavailable'

export function checksOf(facts: HealthFacts): Checks {
  const freeShare = facts.diskFreeShare
  return {
    store: checkOfStore(facts),
    disk: {
      isOk: !facts.isDiskLow,
      detail: freeShare === undefined ? 'Not known.' : `${Math.floor(freeShare * 100)} % is free.`,
    },
    accepting: facts.isDraining
      ? { isOk: false, detail: 'The service is stopping.' }
      : { isOk: true, detail: 'Requests are accepted.' },
    browser: checkOfBrowser(facts.browser),
  }
}

function checkOfStore({ isStoreAnswering, storeRefusal }: HealthFacts): Checks[CheckName] {
  if (storeRefusal !== undefined) return { isOk: false, detail: storeRefusal }
  return isStoreAnswering
    ? { isOk: true, detail: 'The store answers.' }
    : { isOk: false, detail: 'The store does not answer.' }
}

function checkOfBrowser(browser: BrowserFacts): Checks[CheckName] {
  if (browser.state !== 'ready') return { isOk: false, detail: browserDetails[browser.state] }
  if (browser.isElsewhere) return { isOk: true, detail: 'Another worker has Chromium.' }
  const name = ['Chromium', browser.version].filter(Boolean).join(' ')
  if (browser.opensPages === null) return { isOk: true, detail: `${name} was found.` }
  if (!browser.opensPages) {
    return { isOk: false, detail: `${name} does not open pages; the log says why.` }
  }
  return { isOk: true, detail: `${name} opens pages, its sandbox is ${browser.sandbox}.` }
}

const browserDetails = {
  absent: 'No Chromium was found; plain HTTP scraping works. Fix: run "npx trawl browser install".',
  installing: 'Chromium is being installed; plain HTTP scraping works meanwhile.',
  broken: 'Chromium does not start; plain HTTP scraping works. "npx trawl doctor" says why.',
} satisfies Record<Exclude<BrowserState, 'ready'>, string>

/**
 * The checks that make the service not ready. A missing browser is none of them, because most tasks
 * need no browser. Nor is a full disk: new work is rejected, and reading still works.
 */
const readinessChecks: readonly CheckName[] = ['store', 'accepting']

export const failedReadinessChecks = (checks: Checks): CheckName[] =>
  readinessChecks.filter((name) => !checks[name].isOk)

export function healthStatusOf(checks: Checks): HealthStatus {
  if (!checks.store.isOk) return 'unavailable'
  return Object.values(checks).every((check) => check.isOk) ? 'ok' : 'degraded'
}

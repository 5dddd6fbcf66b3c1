import type { TestContext } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import type { ProxyRoute } from '../../src/domain/proxy/proxy.ts'
import { defaultScrapeOptions, ScrapeOptions } from '../../src/domain/scrape/scrape-options.ts'
import {
  type BrowserEngine,
  type BrowserEngineParts,
  createBrowserEngine,
} from '../../src/engines/browser/browser-engine.ts'
import type { WarmBrowserParts } from '../../src/engines/browser/launch/warm-browser.ts'
import type { Visited } from '../../src/engines/browser/page/visit-order.ts'
import type { BrowserFlavor } from '../../src/engines/install/browser-candidates.ts'
import { ensureBrowser, launchableOf } from '../../src/engines/install/ensure-browser.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createGuardedConnect, type GuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { type PageSite, startPageSite } from './page-site.ts'
import { silentLog } from './test-store.ts'
import { trustingBrowser } from './trusting-browser.ts'

/** A real Chromium that connects through the real egress guard, and a site of the test's own. */
export interface BrowserScene {
  readonly engine: BrowserEngine
  readonly site: PageSite
  /** Visits a URL, or a path of the site, with these `configurations`. */
  visit(where: string, configurations?: object, limits?: VisitLimits): Promise<Visited>
  /** Visits like `visit` and returns the HTML. */
  html(where: string, configurations?: object, limits?: VisitLimits): Promise<string>
}

interface VisitLimits {
  timeoutMs?: number
  signal?: AbortSignal
  forwardedHeaders?: Record<string, string>
  proxy?: ProxyRoute | undefined
  accountId?: string
}

interface SceneOptions {
  /** Only slow tests have a full browser. */
  flavor?: BrowserFlavor
  /** Addresses that the egress guard allows besides the internet. */
  allow?: string[]
  dnsServers?: string[]
  /** The address that the site listens on. */
  host?: string
  /** Replaces the guarded connections above, for a test that observes or changes them. */
  connect?: GuardedConnect
  /** A certificate that the browser trusts. */
  trusted?: string
  /** Overrides for the engine's parts. */
  parts?: Partial<BrowserEngineParts>
}

export async function startBrowserScene(
  t: Pick<TestContext, 'after'>,
  {
    flavor,
    allow = ['127.0.0.0/8'],
    dnsServers = [],
    host,
    connect,
    trusted,
    parts = {},
  }: SceneOptions = {},
): Promise<BrowserScene> {
  const site = await startPageSite(t, { ...(host && { host }) })
  const usual = await installedBrowser(flavor)
  const installed = usual.browser()
  const path = installed && trusted && (await trustingBrowser(t, installed.path, trusted))
  const engine = createBrowserEngine({
    ...usual,
    browser: () => installed && { ...installed, ...(path && { path }) },
    connect: connect ?? guardedConnect(allow, dnsServers),
    ...parts,
  })
  t.after(() => engine[Symbol.asyncDispose]())
  const visit: BrowserScene['visit'] = (where, configurations, limits = {}) =>
    engine.visit({
      url: where.startsWith('/') ? site.url(where) : where,
      options: configurations ? ScrapeOptions.parse(configurations) : defaultScrapeOptions,
      timeoutMs: limits.timeoutMs ?? 30_000,
      forwardedHeaders: limits.forwardedHeaders ?? {},
      signal: limits.signal ?? new AbortController().signal,
      proxy: limits.proxy,
      accountId: limits.accountId,
    })
  return {
    engine,
    site,
    visit,
    async html(...asked) {
      const { page } = await visit(...asked)
      return Buffer.from(page.body).toString()
    },
  }
}

/** Connections behind an egress guard that allows these addresses. */
export const guardedConnect = (allow: string[], dnsServers: string[] = []): GuardedConnect =>
  createGuardedConnect({
    guard: createEgressGuard({
      allow:
        loadConfig({}, { TRAWL_EGRESS_ALLOW: allow.join(',') }).config.outbound.egressAllow ?? [],
      mayCallBackToLoopback: false,
      ownAddresses: () => new Set(),
    }),
    resolver: createResolver({ servers: dnsServers }),
  })

/** For tests that every browser has to pass. */
export const browserFlavors: readonly BrowserFlavor[] = ['shell', 'chrome']

/** The parts that start a browser of this machine. */
export async function installedBrowser(flavor?: BrowserFlavor): Promise<WarmBrowserParts> {
  const installed = await findInstalled(flavor)
  return {
    browser: () => installed,
    sandbox: 'auto',
    isRoot: process.getuid?.() === 0,
    log: silentLog,
    onRestart: () => undefined,
  }
}

async function findInstalled(flavor: BrowserFlavor = 'shell') {
  const { config } = loadConfig({})
  const path = flavor === 'chrome' ? process.env['TRAWL_TEST_FULL_BROWSER'] : config.browser.path
  const present = await ensureBrowser(
    {
      settings: { path, flavor, isFlavorRequired: flavor === 'chrome', install: 'never' },
      dataDir: config.store.dataDir,
      pathFolders: config.environment.pathFolders,
      isWaitedFor: true,
    },
    () => undefined,
  )
  const launchable = launchableOf(present)
  if (!launchable) throw new Error(`This test needs a browser: ${present.reason}`)
  return launchable
}

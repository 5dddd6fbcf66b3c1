import type { TestContext } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { defaultScrapeOptions, ScrapeOptions } from '../../src/domain/scrape-options.ts'
import type { Visited } from '../../src/engines/browser/visit-order.ts'
import { type BrowserEngine, createBrowserEngine } from '../../src/engines/browser-engine.ts'
import { ensureBrowser, launchableOf } from '../../src/engines/ensure-browser.ts'
import { createEgressGuard } from '../../src/outbound/egress-guard.ts'
import { createGuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { type PageSite, startPageSite } from './page-site.ts'
import { silentLog } from './test-store.ts'

/** A real Chromium behind the real way out, and a site of the test's own. */
export interface BrowserScene {
  readonly engine: BrowserEngine
  readonly site: PageSite
  /** Visits a URL, or a path of the site, with these `configurations`. */
  visit(where: string, configurations?: object, limits?: VisitLimits): Promise<Visited>
  /** The same, and the HTML that came of it. */
  html(where: string, configurations?: object, limits?: VisitLimits): Promise<string>
}

interface VisitLimits {
  timeoutMs?: number
  signal?: AbortSignal
  forwardedHeaders?: Record<string, string>
}

export async function startBrowserScene(
  t: Pick<TestContext, 'after'>,
  { allow = ['127.0.0.0/8'], dnsServers = [] }: { allow?: string[]; dnsServers?: string[] } = {},
): Promise<BrowserScene> {
  const site = await startPageSite(t)
  const guard = createEgressGuard({
    allow:
      loadConfig({}, { TRAWL_EGRESS_ALLOW: allow.join(',') }).config.outbound.egressAllow ?? [],
    mayCallBackToLoopback: false,
    ownAddresses: [],
  })
  const installed = await findInstalled()
  const engine = createBrowserEngine({
    browser: () => installed,
    sandbox: 'auto',
    isRoot: process.getuid?.() === 0,
    log: silentLog,
    onRestart: () => undefined,
    connect: createGuardedConnect({ guard, resolver: createResolver({ servers: dnsServers }) }),
  })
  t.after(() => engine[Symbol.asyncDispose]())
  const visit: BrowserScene['visit'] = (where, configurations, limits = {}) =>
    engine.visit({
      url: where.startsWith('/') ? site.url(where) : where,
      options: configurations ? ScrapeOptions.parse(configurations) : defaultScrapeOptions,
      timeoutMs: limits.timeoutMs ?? 30_000,
      forwardedHeaders: limits.forwardedHeaders ?? {},
      signal: limits.signal ?? new AbortController().signal,
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

async function findInstalled() {
  const { config } = loadConfig({})
  const present = await ensureBrowser(
    {
      settings: { ...config.browser, install: 'never' },
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

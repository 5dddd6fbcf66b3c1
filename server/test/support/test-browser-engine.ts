import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BrowserOrder, Visited } from '../../src/engines/browser/visit-order.ts'
import type { CreateBrowserEngine } from '../../src/engines/local-browser.ts'
import { scratchFolder } from './scratch-folder.ts'
import { until } from './until.ts'

/** An engine without a browser, for tests of everything around one. */
export interface TestBrowserEngine {
  readonly create: CreateBrowserEngine
  /** What it was asked for so far. */
  readonly visits: TestVisit[]
  untilVisits(count: number): Promise<TestVisit[]>
  readonly probeCount: number
  readonly isDisposed: boolean
}

interface TestVisit {
  readonly order: BrowserOrder
  end(html?: string): void
  fail(error: Error): void
}

interface TestEngineOptions {
  /** Whether a visit goes on until the test ends it. */
  isHolding?: boolean
  /** Called with the number of the visit, from 1; what it throws is what the visit fails with. */
  onVisit?(number: number): void
  probe?(): Promise<void>
}

export function createTestBrowserEngine(options: TestEngineOptions = {}): TestBrowserEngine {
  const visits: TestVisit[] = []
  const counted = { probeCount: 0, isDisposed: false }
  return Object.assign(counted, {
    visits,
    async untilVisits(count: number) {
      await until(() => visits.length >= count, { withinMs: 15_000 })
      return visits
    },
    create: () => ({
      visit: async (order: BrowserOrder) => {
        const { promise, resolve, reject } = Promise.withResolvers<Visited>()
        order.signal.addEventListener('abort', () => reject(order.signal.reason))
        const end = (html = '<p>rendered</p>') => resolve(visited(order.url, html))
        visits.push({ order, end, fail: reject })
        options.onVisit?.(visits.length)
        if (!options.isHolding) end()
        return await promise
      },
      probe: async () => {
        counted.probeCount += 1
        await options.probe?.()
      },
      sandbox: () => (counted.probeCount + visits.length > 0 ? ('on' as const) : null),
      [Symbol.asyncDispose]: async () => {
        counted.isDisposed = true
      },
    }),
  })
}

const visited = (url: string, html: string): Visited => ({
  page: {
    statusCode: 200,
    url,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    cookies: [],
    body: Buffer.from(html),
    bandwidth: { received: html.length, sent: 100, requests: 1 },
    requests: [],
  },
  timings: { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 1, downloadMs: 1 },
})

/** Settings that name a program which says it is a browser, and is none. */
export async function browserStandIn(t: TestContext): Promise<Record<string, string>> {
  const path = join(await scratchFolder(t), 'chromium-headless-shell')
  await writeFile(path, '#!/bin/sh\necho Chromium 150.0.1.2\n')
  await chmod(path, 0o755)
  return { TRAWL_BROWSER_PATH: path }
}

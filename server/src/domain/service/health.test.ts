import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BrowserFacts,
  checksOf,
  failedReadinessChecks,
  type HealthFacts,
  healthStatusOf,
} from './health.ts'

const browser: BrowserFacts = {
  state: 'ready',
  isElsewhere: false,
  version: '150.0',
  flavor: 'shell',
  sandbox: null,
  opensPages: null,
}
const well: HealthFacts = {
  isStoreAnswering: true,
  diskFreeShare: 0.5,
  isDiskLow: false,
  isDraining: false,
  browser,
}

const cases: [Partial<HealthFacts>, status: string, failed: string[]][] = [
  [{}, 'ok', []],
  [{ browser: { ...browser, state: 'absent' } }, 'degraded', []],
  [{ browser: { ...browser, state: 'installing' } }, 'degraded', []],
  [{ browser: { ...browser, opensPages: false } }, 'degraded', []],
  [{ diskFreeShare: undefined }, 'ok', []],
  [{ diskFreeShare: 0.04, isDiskLow: true }, 'degraded', []],
  [{ isDraining: true }, 'degraded', ['accepting']],
  [{ isStoreAnswering: false }, 'unavailable', ['store']],
  [{ isStoreAnswering: false, isDraining: true }, 'unavailable', ['store', 'accepting']],
]

for (const [change, status, failed] of cases) {
  test(`the service is ${status} with ${JSON.stringify(change)}`, () => {
    const checks = checksOf({ ...well, ...change })

    assert.equal(healthStatusOf(checks), status)
    assert.deepEqual(failedReadinessChecks(checks), failed)
  })
}

const details: [Partial<BrowserFacts>, detail: RegExp][] = [
  [{ state: 'absent' }, /^No Chromium was found; .*"npx trawl browser install"/],
  [{ state: 'installing' }, /^Chromium is being installed/],
  [{}, /^Chromium 150\.0 was found\.$/],
  [{ opensPages: true, sandbox: 'on' }, /^Chromium 150\.0 opens pages, its sandbox is on\.$/],
  [{ opensPages: true, sandbox: 'off' }, /^Chromium 150\.0 opens pages, its sandbox is off\.$/],
  [{ opensPages: false }, /^Chromium 150\.0 does not open pages; the log says why\.$/],
  [{ isElsewhere: true, version: null }, /^Another worker has Chromium\.$/],
]

for (const [change, detail] of details) {
  test(`the check of a browser with ${JSON.stringify(change)} says ${detail.source}`, () => {
    const facts = { ...well, browser: { ...browser, ...change } }

    assert.match(checksOf(facts).browser.detail, detail)
  })
}

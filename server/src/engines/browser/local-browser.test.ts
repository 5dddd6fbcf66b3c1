import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createLog } from '../../runtime/log.ts'
import type { PresentBrowser } from '../install/ensure-browser.ts'
import type { BrowserEngine } from './browser-engine.ts'
import { startLocalBrowser } from './local-browser.ts'

const log = createLog({ level: 'silent', isPretty: false })
const installing: PresentBrowser = { state: 'installing', reason: 'it is being installed' }
const ready: PresentBrowser = { state: 'ready', path: '/c', version: '150.0', flavor: 'shell' }

/** A machine on which Chromium is being installed until the test settles it. */
function installingMachine() {
  let present = installing
  const settled = Promise.withResolvers<PresentBrowser>()
  return {
    presence: {
      state: () => present,
      whenSearched: Promise.resolve(installing),
      whenSettled: settled.promise,
      [Symbol.asyncDispose]: async () => {},
    },
    async settle(next: PresentBrowser) {
      present = next
      settled.resolve(next)
      await turn()
    },
  }
}

function engineOf(created: PresentBrowser[]) {
  let consecutive = 0
  const setFailedStarts = (count: number) => {
    consecutive = count
  }
  const ended: BrowserEngine[] = []
  const createEngine = (browser: PresentBrowser) => {
    created.push(browser)
    const engine: BrowserEngine = {
      visit: () => Promise.reject(new Error('no visits in this test')),
      probe: async () => {
        if (consecutive === 0) return
        consecutive += 1
        throw new Error('It does not start.')
      },
      sandbox: () => 'on',
      failedStarts: () => ({ consecutive, lastAtMs: performance.now() }),
      [Symbol.asyncDispose]: async () => void ended.push(engine),
    }
    return engine
  }
  return { createEngine, ended, setFailedStarts }
}

test('the browser engine is created as soon as the installation of the browser has finished', async () => {
  const created: PresentBrowser[] = []
  const engines: BrowserEngine[] = []
  const machine = installingMachine()
  const { createEngine, ended } = engineOf(created)
  const browser = startLocalBrowser({ presence: machine.presence, createEngine, log })
  browser.whenReady((engine) => void engines.push(engine))

  const isReadyBefore = await browser.isReady()
  const before = browser.facts()
  await machine.settle(ready)
  const isReadyAfter = await browser.isReady()
  await browser.checkHealth()

  assert.deepEqual([isReadyBefore, isReadyAfter], [false, true])
  assert.equal(before.state, 'installing')
  assert.deepEqual(created, [ready])
  assert.equal(engines.length, 1)
  assert.deepEqual(browser.facts(), {
    state: 'ready',
    isElsewhere: false,
    version: '150.0',
    flavor: 'shell',
    sandbox: 'on',
    opensPages: true,
  })
  await browser[Symbol.asyncDispose]()
  assert.deepEqual(ended, engines)
})

const neverStarted: [why: string, next: PresentBrowser, isStopped: boolean][] = [
  ['the installation failed', { state: 'absent', reason: 'no network' }, false],
  ['the process has stopped', ready, true],
]

for (const [why, next, isStopped] of neverStarted) {
  test(`no browser engine is created when ${why}`, async () => {
    const created: PresentBrowser[] = []
    const machine = installingMachine()
    const browser = startLocalBrowser({ ...machine, ...engineOf(created), log })
    browser.whenReady(() => assert.fail('there is no browser'))

    if (isStopped) await browser[Symbol.asyncDispose]()
    await machine.settle(next)

    assert.deepEqual(created, [])
    assert.equal(browser.facts().sandbox, null)
  })
}

test('isReady waits until the machine was searched for a browser', async () => {
  const searched = Promise.withResolvers<PresentBrowser>()
  const machine = installingMachine()
  const presence = { ...machine.presence, whenSearched: searched.promise }
  const browser = startLocalBrowser({ ...engineOf([]), presence, log })

  const isReady = browser.isReady()
  await machine.settle(ready)
  searched.resolve(ready)

  assert.equal(await isReady, true)
})

test('a browser that fails to start twice is broken and backs off, and isReady tries it again', async () => {
  const machine = installingMachine()
  const { setFailedStarts, ...engine } = engineOf([])
  const browser = startLocalBrowser({ ...machine, ...engine, log })
  browser.whenReady(() => undefined)
  await machine.settle(ready)

  setFailedStarts(1)
  const isBackingOffAtOnce = browser.isBackingOff()
  const isReadyBroken = await browser.isReady()
  const broken = browser.facts()
  const isBackingOffBroken = browser.isBackingOff()
  setFailedStarts(0)

  assert.deepEqual([isBackingOffAtOnce, isReadyBroken], [false, false])
  assert.deepEqual([broken.state, broken.opensPages, isBackingOffBroken], ['broken', false, true])
  assert.equal(await browser.isReady(), true)
  assert.deepEqual([browser.facts().state, browser.isBackingOff()], ['ready', false])
})

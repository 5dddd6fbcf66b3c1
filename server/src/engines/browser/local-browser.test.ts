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

/** A machine on which Chromium is being installed until the test says that it is there. */
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

function engineOf(made: PresentBrowser[]) {
  let inARow = 0
  const setFailedStarts = (count: number) => {
    inARow = count
  }
  const ended: BrowserEngine[] = []
  const createEngine = (browser: PresentBrowser) => {
    made.push(browser)
    const engine: BrowserEngine = {
      visit: () => Promise.reject(new Error('nobody visits')),
      probe: async () => {
        if (inARow === 0) return
        inARow += 1
        throw new Error('It does not start.')
      },
      sandbox: () => 'on',
      failedStarts: () => ({ inARow, lastAtMs: performance.now() }),
      [Symbol.asyncDispose]: async () => void ended.push(engine),
    }
    return engine
  }
  return { createEngine, ended, setFailedStarts }
}

test('an engine is made as soon as the browser that is being installed is there', async () => {
  const made: PresentBrowser[] = []
  const begun: BrowserEngine[] = []
  const machine = installingMachine()
  const { createEngine, ended } = engineOf(made)
  const browser = startLocalBrowser({ presence: machine.presence, createEngine, log })
  browser.whenReady((engine) => void begun.push(engine))

  const isReadyBefore = await browser.isReady()
  const before = browser.facts()
  await machine.settle(ready)
  const isReadyAfter = await browser.isReady()
  await browser.tryOut()

  assert.deepEqual([isReadyBefore, isReadyAfter], [false, true])
  assert.equal(before.state, 'installing')
  assert.deepEqual(made, [ready])
  assert.equal(begun.length, 1)
  assert.deepEqual(browser.facts(), {
    state: 'ready',
    isElsewhere: false,
    version: '150.0',
    flavor: 'shell',
    sandbox: 'on',
    opensPages: true,
  })
  await browser[Symbol.asyncDispose]()
  assert.deepEqual(ended, begun)
})

const neverBegun: [why: string, next: PresentBrowser, isStopped: boolean][] = [
  ['the installation failed', { state: 'absent', reason: 'no network' }, false],
  ['the process has stopped', ready, true],
]

for (const [why, next, isStopped] of neverBegun) {
  test(`no engine is made when ${why}`, async () => {
    const made: PresentBrowser[] = []
    const machine = installingMachine()
    const browser = startLocalBrowser({ ...machine, ...engineOf(made), log })
    browser.whenReady(() => assert.fail('there is nothing to begin with'))

    if (isStopped) await browser[Symbol.asyncDispose]()
    await machine.settle(next)

    assert.deepEqual(made, [])
    assert.equal(browser.facts().sandbox, null)
  })
}

test('whoever asks before the machine was searched waits for that', async () => {
  const searched = Promise.withResolvers<PresentBrowser>()
  const machine = installingMachine()
  const presence = { ...machine.presence, whenSearched: searched.promise }
  const browser = startLocalBrowser({ ...engineOf([]), presence, log })

  const isReady = browser.isReady()
  await machine.settle(ready)
  searched.resolve(ready)

  assert.equal(await isReady, true)
})

test('a browser that does not start is told apart from one that does, and tried again', async () => {
  const machine = installingMachine()
  const { setFailedStarts, ...engine } = engineOf([])
  const browser = startLocalBrowser({ ...machine, ...engine, log })
  browser.whenReady(() => undefined)
  await machine.settle(ready)

  setFailedStarts(1)
  const isRestingAtOnce = browser.isResting()
  const isReadyBroken = await browser.isReady()
  const broken = browser.facts()
  const isRestingBroken = browser.isResting()
  setFailedStarts(0)

  assert.deepEqual([isRestingAtOnce, isReadyBroken], [false, false])
  assert.deepEqual([broken.state, broken.opensPages, isRestingBroken], ['broken', false, true])
  assert.equal(await browser.isReady(), true)
  assert.deepEqual([browser.facts().state, browser.isResting()], ['ready', false])
})

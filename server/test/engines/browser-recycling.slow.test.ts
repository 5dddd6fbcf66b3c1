/** Recycling: when a browser is replaced by a new one, and what happens to the old one. */
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { BrowserEngineParts } from '../../src/engines/browser/browser-engine.ts'
import type { BrowserLimits, RestartReason } from '../../src/engines/browser/launch/warm-browser.ts'
import type { Log } from '../../src/runtime/log.ts'
import { assertFails } from '../support/assert-fails.ts'
import {
  killAtOnce,
  listBrowserHomes,
  listBrowserProcesses,
  listBrowsers,
  listRenderers,
  listZombies,
} from '../support/browser-processes.ts'
import { type BrowserScene, installedBrowser, startBrowserScene } from '../support/browser-scene.ts'
import { openPageInOtherProcess } from '../support/open-page-in-other-process.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const scripted = { js_render: true }

test('concurrent visits share one browser', async (t) => {
  const { html, engine } = await startRecyclingScene(t)

  await Promise.all(Array.from({ length: 4 }, () => html('/quick')))

  assert.equal(listBrowsers().length, 1)
  await engine[Symbol.asyncDispose]()
  await assertNothingIsLeft()
})

test('concurrent visits after a browser was killed share one new browser', async (t) => {
  const { browser } = await installedBrowser()
  let starts = 0
  const counted = () => {
    starts += 1
    return browser()
  }
  const scene = await startRecyclingScene(t, {}, { browser: counted })
  await scene.html('/quick')
  const [killed = 0] = listBrowsers()
  killAtOnce(killed)
  await until(() => scene.reasons.includes('crashed'))
  assert.deepEqual(scene.warnings, [
    'The browser exited unexpectedly; no page was open. The next page starts a new browser.',
  ])

  const shown = await Promise.all(Array.from({ length: 4 }, () => scene.html('/quick')))

  for (const html of shown) assert.match(html, /quick/)
  assert.equal(starts, 2)
  assert.equal(listBrowsers().filter((pid) => pid !== killed).length, 1)
  await scene.engine[Symbol.asyncDispose]()
  await assertNothingIsLeft()
})

const wear: [RestartReason, string, Partial<BrowserLimits>][] = [
  ['used', 'has reached its limit of visits', { visitsMax: 2 }],
  ['old', 'has reached its maximum age', { ageMsMax: 1 }],
  ['large', 'has reached its memory limit', { treeBytesMax: 1 }],
]

for (const [reason, what, limits] of wear) {
  test(`a browser that ${what} takes no new visits, finishes its open ones and is then killed`, async (t) => {
    const scene = await startRecyclingScene(t, limits)
    const slow = startSlowVisit(scene)
    await slow.isUnderWay
    const [worn] = listBrowsers()
    await until(() => scene.html('/quick').then(() => scene.reasons.length > 0))

    const next = startSlowVisit(scene, { path: '/next' })
    await next.isUnderWay
    const during = listBrowsers()
    for (const visit of [slow, next]) visit.release()

    assert.match(await slow.html, /released/)
    assert.match(await next.html, /released/)
    assert.equal(scene.reasons[0], reason)
    assert(worn !== undefined && during.includes(worn), 'it goes on while it is needed')
    assert.equal(during.length, 2, 'another one has taken its place')
    await until(() => !listBrowsers().includes(worn))
    await until(() => listBrowserHomes().length <= 1)
    await scene.engine[Symbol.asyncDispose]()
    await assertNothingIsLeft()
  })
}

test('a browser above its hard memory limit is killed even during visits', async (t) => {
  const scene = await startRecyclingScene(t, { treeBytesHardMax: 1 })

  await assertFails('BROWSER_CRASHED', startSlowVisit(scene).html)

  assert.deepEqual(scene.reasons, ['large'])
  assert.match(scene.warnings[0] ?? '', /more memory than allowed; the open page failed with/)
  await until(() => listBrowserProcesses().length === 0)
})

test('a browser that hangs is killed, and the next visit gets a new one', async (t) => {
  const scene = await startRecyclingScene(t)
  // The time of the visit below shall not be spent on starting the browser.
  await scene.html('/quick')
  const slow = startSlowVisit(scene, { timeoutMs: 1_500 })
  await slow.isUnderWay
  const [browser = 0] = listBrowsers()

  process.kill(browser, 'SIGSTOP')

  await assertFails('TARGET_TIMEOUT', slow.html)
  await until(() => !listBrowsers().includes(browser))
  assert.match(await scene.html('/quick', scripted, { timeoutMs: 5_000 }), /quick/)
  assert.deepEqual(scene.reasons, ['stuck'])
})

test('a browser that hangs during a health check is killed', async (t) => {
  const scene = await startRecyclingScene(t)
  await scene.html('/quick')
  await until(() => listRenderers().length === 0)
  const [browser = 0] = listBrowsers()

  process.kill(browser, 'SIGSTOP')

  // The browser may be killed before the probe has noticed the end of its time.
  await assert.rejects(scene.engine.probe(AbortSignal.timeout(6_000)), /TimeoutError|CdpClosed/)
  await until(() => !listBrowsers().includes(browser))
  assert.match(await scene.html('/quick'), /quick/)
  assert.deepEqual(scene.reasons, ['stuck'])
})

test('a browser is not taken for hung because our own event loop was blocked', async (t) => {
  const scene = await startRecyclingScene(t)
  await scene.html('/quick')
  const browsers = listBrowsers()

  // The page is being closed, and nobody reads that it was.
  const untilMs = performance.now() + 6_000
  while (performance.now() < untilMs);

  assert.match(await scene.html('/quick'), /quick/)
  assert.deepEqual([scene.reasons, listBrowsers()], [[], browsers])
})

test('a browser in which every page crashes is replaced', async (t) => {
  const scene = await startRecyclingScene(t)
  await scene.html('/quick')
  for (const { pid, type } of listBrowserProcesses()) {
    if (type === 'zygote') killAtOnce(pid)
  }

  const visits: string[] = []
  while (visits.length < 5) {
    visits.push(
      await scene.html('/quick').then(
        () => 'page',
        ({ code }) => code,
      ),
    )
  }

  assert.deepEqual(visits, [...Array(3).fill('BROWSER_CRASHED'), 'page', 'page'])
  assert.deepEqual(scene.reasons, ['stuck'])
  assert.match(scene.warnings[0] ?? '', /crashes every page; no page was open/)
})

test('disposing of the engine kills all its browsers, also those in use', async (t) => {
  const scene = await startRecyclingScene(t, { visitsMax: 2 })
  const slow = startSlowVisit(scene)
  await slow.isUnderWay
  await scene.html('/quick')
  await scene.html('/quick')

  await scene.engine[Symbol.asyncDispose]()

  await assertFails('BROWSER_CRASHED', slow.html)
  await assertFails('BROWSER_CRASHED', scene.html('/quick'))
  await assertNothingIsLeft()
})

test('a visit fails when the browser cannot be started, and the next visit tries again', async (t) => {
  const { browser } = await installedBrowser()
  let isThere = false
  const nowhere = { path: '/nowhere/chromium', flavor: 'shell' } as const
  const scene = await startBrowserScene(t, {
    parts: { browser: () => (isThere ? browser() : nowhere) },
  })
  scene.site.page('/quick', '<p>quick</p>')

  const failure = await assertFails('BROWSER_CRASHED', scene.html('/quick'))
  assert.match(failure.message, /could not be started/)
  assert.match(String(failure.cause), /ENOENT/)
  isThere = true

  assert.match(await scene.html('/quick'), /quick/)
})

test('a browser that is killed during its start is not retried without its sandbox', async (t) => {
  const folder = await scratchFolder(t)
  const [path, attempts] = [join(folder, 'browser'), join(folder, 'attempts')]
  await writeFile(path, `#!/bin/sh\necho "$@" >> ${attempts}\nkill -9 $$\n`)
  await writeFile(attempts, '')
  await chmod(folder, 0o755)
  await chmod(path, 0o755)
  await chmod(attempts, 0o666)
  const scene = await startBrowserScene(t, {
    parts: { browser: () => ({ path, flavor: 'shell' }) },
  })

  await assertFails('BROWSER_CRASHED', scene.html('/'))

  const lines = (await readFile(attempts, 'utf8')).trim().split('\n')
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines[0] ?? '', /no-sandbox/)
})

test('a killed process leaves no browser, and the next start removes its browser folder', async (t) => {
  const { pid } = await openPageInOtherProcess(t)
  assert(listBrowserProcesses(pid).length > 0)

  process.kill(pid, 'SIGKILL')

  await until(() => listBrowserProcesses(pid).length === 0)
  await startRecyclingScene(t)
  await until(() => listBrowserHomes(pid).length === 0)
})

test('the browser folder of an earlier process with the same process id is removed', async (t) => {
  await mkdtemp(join(tmpdir(), `trawl-browser-${process.pid}-before-`))
  const scene = await startRecyclingScene(t)

  await until(() => listBrowserHomes().length === 0)
  await scene.html('/quick')
  assert.equal(listBrowserHomes().length, 1)
})

async function startRecyclingScene(
  t: TestContext,
  limits: Partial<BrowserLimits> = {},
  parts: Partial<BrowserEngineParts> = {},
) {
  const reasons: RestartReason[] = []
  const onRestart = (reason: RestartReason) => void reasons.push(reason)
  const warnings: string[] = []
  const warn = ((_: object, message: string) => void warnings.push(message)) as Log['warn']
  const log = { ...silentLog, warn }
  const scene = await startBrowserScene(t, { parts: { limits, onRestart, log, ...parts } })
  scene.site.page('/quick', '<p>quick</p>')
  return { ...scene, reasons, warnings }
}

/** A visit whose page waits until it is released. */
function startSlowVisit({ site, html }: BrowserScene, { path = '/slow', timeoutMs = 60_000 } = {}) {
  const underWay = Promise.withResolvers<void>()
  let release = () => undefined as unknown
  site.page(path, `<p id=p>slow</p><script src="${path}.js"></script>`)
  site.page(`${path}.js`, (_, response) => {
    release = () => response.end('p.textContent = "released"')
    underWay.resolve()
  })
  const visited = html(path, scripted, { timeoutMs })
  visited.catch(() => undefined) // whoever waits for it hears of it
  return { html: visited, isUnderWay: underWay.promise, release: () => release() }
}

async function assertNothingIsLeft(): Promise<void> {
  assert.deepEqual(listBrowserHomes(), [])
  await until(() => listBrowserProcesses().length === 0)
  await until(() => listZombies().length === 0)
}

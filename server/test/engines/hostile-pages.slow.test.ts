import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { Failure } from '../../src/domain/failure.ts'
import {
  listBrowserHomes,
  listBrowserProcesses,
  listRenderers,
  listZombies,
} from '../support/browser-processes.ts'
import { type BrowserScene, startBrowserScene } from '../support/browser-scene.ts'
import { isOverBefore } from '../support/is-over-before.ts'
import { isOverBeforeProcessStarts } from '../support/is-over-before-process-starts.ts'
import { until } from '../support/until.ts'
import type { HostilePage } from './hostile/hostile-page.ts'
import { hostilePages } from './hostile/hostile-pages.ts'
import { browserHogs, memoryHogs } from './hostile/large-pages.ts'

const scripted = { js_render: true }
const mib = 2 ** 20

test('a hostile page ends as expected, and concurrent and later visits get their pages', {
  concurrency: 2,
}, async (t) => {
  const { scene, watch } = await startHostileScene(t)
  const meetInTest = (hostile: HostilePage) =>
    t.test(hostile.name, async () => {
      const neighbour = scene.html('/good', scripted, { timeoutMs: 60_000 })

      await meet(scene, hostile)

      await assertSlotIsBack(scene, hostile)
      assert.match(await neighbour, /well/)
    })
  await Promise.all(hostilePages.filter((one) => !one.holdsUpBrowser).map(meetInTest))
  for (const hostile of hostilePages.filter((one) => one.holdsUpBrowser)) await meetInTest(hostile)
  await assertNothingIsLeft(scene)
  t.diagnostic(`this process had at most ${watch.peakMib()} MiB`)
  assert(watch.peakMib() < 768)
})

test('a page above its memory limit is killed, and no other page', async (t) => {
  const { scene } = await startHostileScene(t, { rendererBytesMax: 256 * mib })
  for (const hog of memoryHogs) {
    await t.test(hog.name, async () => {
      const neighbour = scene.html('/good', scripted, { timeoutMs: 60_000 })

      await meet(scene, hog)

      await assertSlotIsBack(scene, hog)
      assert.match(await neighbour, /well/)
    })
  }
  await assertNothingIsLeft(scene)
})

test('a browser above its memory limit is killed and replaced', async (t) => {
  const { scene } = await startHostileScene(t, { otherProcessBytesMax: 384 * mib })
  for (const hog of browserHogs) {
    await t.test(hog.name, async () => {
      await meet(scene, hog)

      await assertSlotIsBack(scene, hog)
    })
  }
  await assertNothingIsLeft(scene)
})

async function startHostileScene(t: TestContext, limits = {}) {
  const scene = await startBrowserScene(t, { parts: { limits } })
  const { site } = scene
  site.page('/never', () => undefined)
  site.page('/other', '<p>other</p>')
  site.page('/good', '<p id=p>good</p><script src="/slow.js"></script>')
  site.page('/slow.js', (_, response) => {
    setTimeout(() => response.end('p.textContent = "well"'), 300)
  })
  await scene.html('/other')
  return { scene, watch: watchMemory(t) }
}

/** It ends as it should, at its deadline at the latest. */
async function meet({ site, visit }: BrowserScene, hostile: HostilePage): Promise<void> {
  const {
    page,
    beside = {},
    configurations,
    expected,
    shows = /(?:)/,
    timeoutMs = 30_000,
  } = hostile
  const path = `/hostile-${hostile.name.replaceAll(/\W+/g, '-')}`
  site.page(path, page)
  for (const [besidePath, answer] of Object.entries(beside)) site.page(besidePath, answer)

  const ended = visit(path, { ...scripted, ...configurations }, { timeoutMs }).catch(
    (error: Error) => error,
  )
  const isInTime = await isOverBefore(ended, timeoutMs + 5_000)
  const outcome = await ended

  assert(isInTime, 'it ends by its deadline')
  if (outcome instanceof Error) {
    assert(outcome instanceof Failure, outcome)
    assert([expected].flat().includes(outcome.code), `${outcome.code}: ${outcome.message}`)
  } else {
    assert([expected].flat().includes('page'), `not ${expected}, but a page`)
    assert.match(Buffer.from(outcome.page.body).toString(), shows)
  }
}

/** The next visit begins in time; its page may then take what a busy machine needs. */
async function assertSlotIsBack(
  { site, html }: BrowserScene,
  { holdsUpBrowser = false }: HostilePage,
): Promise<void> {
  // About five or ten seconds of an idle machine.
  const startsMax = holdsUpBrowser ? 200 : 100
  const path = `/next-${randomUUID()}`
  const begun = Promise.withResolvers<void>()
  site.page(path, (_, response) => {
    begun.resolve()
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>next</p>')
  })

  const [isBegunSoon, shown] = await Promise.all([
    isOverBeforeProcessStarts(begun.promise, startsMax),
    html(path, scripted, { timeoutMs: 30_000 }),
  ])

  assert.match(shown, /next/)
  assert(isBegunSoon, `the next visit did not begin within the time of ${startsMax} process starts`)
}

async function assertNothingIsLeft({ engine }: BrowserScene): Promise<void> {
  await until(() => listRenderers().length === 0)
  await until(() => listBrowserHomes().length === 1)
  await engine[Symbol.asyncDispose]()
  assert.deepEqual(listBrowserHomes(), [])
  await until(() => listBrowserProcesses().length === 0)
  await until(() => listZombies().length === 0)
}

/** Of this process, in which the sites are too. */
function watchMemory(t: TestContext): { peakMib(): number } {
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }, 50)
  t.after(() => clearInterval(timer))
  return { peakMib: () => Math.round(peakBytes / mib) }
}

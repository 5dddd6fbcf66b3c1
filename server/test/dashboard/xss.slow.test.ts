/** Hostile texts through every entrance of the service, and every page of the dashboard that shows them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { farSchedule } from '../support/delivery-scene.ts'
import { withBrowser } from '../support/real-browser.ts'
import { feedHostileTexts } from './feed-hostile-texts.ts'
import { startTrapOrigin } from './trap-origin.ts'
import { watchForHarm } from './watch-for-harm.ts'
import { xssCorpus } from './xss-corpus.ts'

test('nothing that targets, receivers or people send runs in the dashboard', async (t) => {
  const trap = await startTrapOrigin(t)
  const corpus = xssCorpus(trap.origin)
  const scene = await openDashboardScene(t, {
    environment: { TRAWL_DELIVERY_SCHEDULE: farSchedule, ...(await withBrowser()) },
  })
  const { page, url, signIn, find, click, complaints } = scene
  const fed = await feedHostileTexts(t, scene, corpus)
  const harm = await watchForHarm(scene, trap)

  await t.test(
    'the corpus has a hundred vectors, and they run where nothing stops them',
    async () => {
      const vectors = Object.values(corpus).flat()
      assert.ok(new Set(vectors).size >= 100, `${new Set(vectors).size} vectors`)
      t.diagnostic(`${new Set(vectors).size} vectors`)

      const ran = await harm.countRunsWithoutProtection(fed.htmlPages)

      t.diagnostic(`${ran} of ${fed.htmlPages.length} pages run or load something by themselves`)
      assert.ok(ran > fed.htmlPages.length / 2, `only ${ran} of ${fed.htmlPages.length}`)
    },
  )

  await page.goto(`${url}/app/overview`)
  await signIn()
  trap.arm()

  const table = 'main tbody td'
  const tabs = 'main [role="tab"]'
  const form = 'main input'
  const visits: Visit[] = [
    ['the overview', '/app/overview', table],
    ['domains', '/app/domains', table],
    ['tasks', '/app/tasks?url=ran', table, 'hostile'],
    ['failed tasks', '/app/tasks?status=failed', table],
    ['jobs', '/app/jobs', table],
    ['the batch', `/app/jobs/${fed.batchId}`, table, 'hostile'],
    ['the crawl', `/app/jobs/${fed.crawlId}`, 'main figure', 'hostile'],
    ['webhooks', '/app/webhooks', table, 'hostile'],
    ['access', '/app/access', table, 'hostile'],
    ['a task with headers', `/app/tasks/${fed.taskIds.headers}`, tabs, 'hostile'],
    ['a rendered task', `/app/tasks/${fed.taskIds.rendered}`, tabs, 'hostile'],
    ['a task with a callback', `/app/tasks/${fed.taskIds.callback}`, tabs, 'hostile'],
    ['a failed task', `/app/tasks/${fed.taskIds.failed}`, tabs],
    ['a task with a file', `/app/tasks/${fed.taskIds.file}`, tabs, 'hostile'],
    ['the playground by a task', `/app/playground?task=${fed.taskIds.url}`, form],
    ...hostileHashes(corpus.names).map(
      (hash, index): Visit => [`the playground by link ${index}`, `/app/playground${hash}`, form],
    ),
  ]
  for (const [name, address, content, isHostile] of visits) {
    await t.test(`${name}: nothing runs, whatever is opened`, async () => {
      await harm.open(`${url}${address}`, content)

      const wasShown = await harm.openEverything()

      assert.deepEqual(await harm.find(), [])
      assert.ok(wasShown || !isHostile, 'no hostile text was shown')
    })
  }

  await t.test('deliveries: nothing runs, whatever is opened', async () => {
    await page.goto(`${url}/app/webhooks/${fed.webhookId}`)
    await page.waitForSelector('::-p-aria([role="table"][name="Deliveries"]) tbody a')
    const links = (await page.evaluate(
      `[...document.querySelectorAll('tbody a')].map(({ href }) => href)`,
    )) as string[]
    assert.ok(links.length >= corpus.answers.length, `${links.length} deliveries`)
    for (const link of links.slice(0, corpus.answers.length)) {
      await harm.open(link, 'main figure')
      await find('figure', 'Delivery timeline')
      await harm.openEverything()
      assert.deepEqual(await harm.find(), [], link)
    }
  })

  await t.test('the playground shows its result, and nothing of it runs', async () => {
    const request = { url: fed.htmlPages[0], formats: ['html', 'markdown'] }
    await page.goto('about:blank')
    await harm.open(
      `${url}/app/playground#extract=${encodeURIComponent(JSON.stringify(request))}`,
      form,
    )
    await click('button', 'Run')
    await find('tab', 'HTML')

    await harm.openEverything()

    assert.deepEqual(await harm.find(), [])
  })

  await t.test(
    'every page of the corpus is shown in a sandbox, in which nothing runs',
    async () => {
      await harm.open(`${url}/app/tasks`, table)

      const shown = await harm.showPreviews(fed.previews)

      t.diagnostic(`${shown} previews`)
      assert.equal(shown, fed.previews.length)
      assert.deepEqual(await harm.find(), [])
    },
  )

  await t.test('nobody else was asked for anything', () => {
    assert.deepEqual(harm.foreign(), [])
    assert.deepEqual(complaints, [])
    assert.equal(trap.connections(), 0)
    t.diagnostic(`stopped in the frames: ${JSON.stringify(harm.stopped())}`)
  })
})

/** A page, its address, what it has once it is read, and whether it must have shown a vector. */
type Visit = [name: string, address: string, content: string, isHostile?: 'hostile']

/** Addresses of the playground that anybody may send. */
const hostileHashes = (names: readonly string[]): string[] => [
  `#extract=${encodeURIComponent(
    JSON.stringify({ url: names[3], headers: Object.fromEntries(names.map((one) => [one, one])) }),
  )}`,
  `#batch=${encodeURIComponent(JSON.stringify({ urls: names }))}`,
  `#${names[0]}=${names[1]}`,
  `#extract=${encodeURIComponent('{"__proto__":{"url":"javascript:self.__ran=1"},"url":7}')}`,
]

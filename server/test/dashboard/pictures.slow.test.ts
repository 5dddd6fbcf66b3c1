/** The pictures of the documentation, made of a running service with invented data. `npm run pictures` keeps them. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { openDashboardScene } from '../support/dashboard-scene.ts'
import { farSchedule } from '../support/delivery-scene.ts'
import { withBrowser } from '../support/real-browser.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { startPictureSite } from './picture-site.ts'
import { seedHistory } from './seed-history.ts'
import { seedWork } from './seed-work.ts'
import { shiftClock, shiftClockOf } from './shift-clock.ts'
import { webpSize } from './webp-size.ts'

const folder = new URL('../../../docs/images/', import.meta.url)
const width = 1280
const pictureBytesMax = 150_000
const morning = Date.UTC(2026, 2, 4, 9, 30, 2)

test('the pictures of the documentation show the pages as they are', async (t) => {
  const isKept = process.env['TRAWL_PICTURES'] === 'keep'
  const { offsetMs } = shiftClock(t, morning)
  const site = await startPictureSite(t)
  const receiver = await startTestReceiver(t)
  const scene = await openDashboardScene(t, {
    environment: {
      TRAWL_PROXIES: JSON.stringify(site.proxies),
      TRAWL_DELIVERY_SCHEDULE: farSchedule,
      ...(await withBrowser()),
    },
  })
  const { page, url, find, click, signIn, shows, complaints } = scene
  const made = await seedWork(scene, receiver)
  await seedHistory(await scene.service.openBeside(), Date.now())
  await shiftClockOf(page, offsetMs)
  await page.goto(`${url}/app/overview`)
  await signIn()

  const pictures: Record<string, Picture> = {
    overview: { address: '/app/overview', height: 1100, show: () => shows('books.example') },
    tasks: { address: '/app/tasks', height: 800, show: () => shows('news.example') },
    task: {
      address: `/app/tasks/${made.taskId}`,
      height: 1100,
      show: () => find('figure', 'Waterfall'),
    },
    crawl: {
      address: `/app/jobs/${made.crawlId}`,
      height: 940,
      show: () => shows('harbour-at-dawn'),
    },
    webhook: {
      address: `/app/webhooks/${made.webhookId}`,
      height: 1100,
      async show() {
        await page.locator('::-p-xpath(//tr[contains(., "pending")]//a)').click()
        await find('figure', 'Delivery timeline')
        await page.evaluate('scrollTo(0, 0)')
      },
    },
    playground: {
      address: `/app/playground#extract=${encodeURIComponent(JSON.stringify(made.request))}`,
      height: 900,
      async show() {
        await click('button', 'Run')
        await find('tab', 'Preview')
      },
    },
  }
  const contents: Record<string, string[]> = {}
  for (const [name, { address, height, show }] of Object.entries(pictures)) {
    await t.test(`${name}, light and dark`, async () => {
      const size = { width, height }
      await page.setViewport(size)
      await page.goto('about:blank')
      await page.goto(`${url}${address}`)
      await show()
      for (const theme of ['light', 'dark']) {
        await (await find('combobox', 'Theme')).select(theme)
        await page.evaluate('document.activeElement.blur()')
        await page.evaluate(settled)
        const bytes = await page.screenshot({ type: 'webp', quality: 80 })
        const file = new URL(`${name}-${theme}.webp`, folder)
        if (isKept) {
          mkdirSync(folder, { recursive: true })
          writeFileSync(file, bytes)
        }
        assert.deepEqual(webpSize(bytes), size)
        assert.deepEqual(webpSize(readFileSync(file)), size)
        assert.ok(statSync(file).size <= pictureBytesMax, `${statSync(file).size} bytes`)
      }
      contents[name] = (await page.evaluate(headings)) as string[]
    })
  }

  await t.test('the pictures that are kept show the same, and there are no others', () => {
    const list = new URL('contents.txt', folder)
    const text = Object.entries(contents).map(([name, parts]) => `${name}: ${parts.join(' · ')}\n`)
    if (isKept) writeFileSync(list, text.join(''))
    const names = Object.keys(pictures).flatMap((name) => [
      `${name}-dark.webp`,
      `${name}-light.webp`,
    ])

    assert.deepEqual(readdirSync(folder).sort(), [...names, 'contents.txt'].sort())
    assert.equal(text.join(''), readFileSync(list, 'utf8'), 'Run: npm run pictures')
    // The scripts of the page that is previewed.
    assert.deepEqual(
      complaints.filter((one) => !one.includes('frame is sandboxed')),
      [],
    )
  })
})

interface Picture {
  address: string
  height: number
  /** Resolves once the page shows what the picture is about. */
  show: () => Promise<unknown>
}

/** Fonts, frames and two frames of painting: what the picture shows is drawn. */
const settled = `(async () => {
  await document.fonts.ready
  for (let count = 0; count < 3; count++) await new Promise((resolve) => requestAnimationFrame(resolve))
})()`

/** What a page consists of, without what differs from run to run. */
const headings = `[...document.querySelectorAll('h1, h2, [role="tab"], thead th')]
  .map(({ textContent }) => textContent.trim())
  .filter((text) => text !== '' && !/[0-9a-f]{8}-/.test(text))`

/** Screenshots above a limit fail with the limit in the message, instead of being cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Screenshot } from '../../src/domain/scrape/page.ts'
import { assertFails } from '../support/assert-fails.ts'
import { startBrowserScene } from '../support/browser-scene.ts'
import { shooting } from './shooting.ts'

const png = { type: 'png' }

test('a screenshot at its limits', async (t) => {
  const scene = await startBrowserScene(t)
  const { site, visit } = scene
  const { shoot, seenByBrowser } = shooting(scene)

  const narrow = { viewport: { width: 50, height: 100 } }
  /** Green, and at its very end blue. */
  const tall = (height: number) =>
    `<body style="margin:0;background:#0a0"><div style="height:${height - 20}px"></div>
      <div style="height:20px;background:#00a"></div>`
  const assertWhole = async (image: Screenshot) => {
    const places = [0, 0.5, 0.99].map((share) => ({ y: Math.floor(image.height * share) }))
    const seen = await seenByBrowser(image, [...places, { y: image.height - 10 }])

    // The main colour: a JPEG has none exactly.
    const main = seen.map(([, green = 0, blue = 0]) => (green > blue ? 'green' : 'blue'))
    assert.deepEqual(main, ['green', 'green', 'green', 'blue'])
  }

  for (const [type, sideMax] of [
    ['jpeg', 65_500],
    ['webp', 16_383],
  ] as const) {
    await t.test(`a ${type} with a side of more than ${sideMax} pixels is refused`, async () => {
      site.page('/at-limit', tall(sideMax))
      site.page('/beyond-limit', tall(sideMax + 1))

      const image = await shoot('/at-limit', { type }, narrow)
      const failure = await assertFails(
        'SCREENSHOT_FAILED',
        shoot('/beyond-limit', { type }, narrow),
      )

      assert.equal(image.height, sideMax)
      await assertWhole(image)
      assert.match(failure.message, new RegExp(`${sideMax}`))
    })
  }

  await t.test('a side of more than 16384 pixels without fromSurface is refused', async () => {
    site.page('/at-limit', tall(16_384))
    site.page('/beyond-limit', tall(16_385))
    const options = { ...png, fromSurface: false }

    const image = await shoot('/at-limit', options, narrow)
    const failure = await assertFails('SCREENSHOT_FAILED', shoot('/beyond-limit', options, narrow))

    assert.equal(image.height, 16_384)
    await assertWhole(image)
    assert.match(failure.message, /16384/)
  })

  await t.test('an image of more than 100 million pixels is refused', async () => {
    site.page('/huge', tall(80_000))

    const failure = await assertFails('SCREENSHOT_FAILED', shoot('/huge', png))

    assert.match(failure.message, /1280 × 80000.*100000000/)
  })

  await t.test('a large page that is never drawn holds up large ones of its account', async () => {
    site.page(
      '/never-drawn',
      `<body style="margin:0;width:9000px;height:11000px"><script>
        onresize = () => { fetch('/resized'); setTimeout(() => { for (;;); }) }
      </script>`,
    )
    const large = { js_render: true, screenshot: { use: true, options: png } }
    // With the one above it is more than is drawn at once: it has to wait for its turn.
    site.page('/large', tall(5_000))
    const resized = new Promise((resolve) => site.page('/resized', resolve))
    const giveUp = new AbortController()
    const ended: string[] = []
    const stuck = visit(
      '/never-drawn',
      { js_render: true, screenshot: { use: true, options: { captureBeyondViewport: false } } },
      { timeoutMs: 60_000, accountId: 'greedy', signal: giveUp.signal },
    ).catch(() => ended.push('never drawn'))
    await resized

    const drawn = ['greedy', 'other'].map(async (accountId) => {
      const { page } = await visit('/large', large, { timeoutMs: 60_000, accountId })
      ended.push(accountId)
      giveUp.abort()
      return page.screenshot?.height
    })

    assert.deepEqual(await Promise.all(drawn), [5_000, 5_000])
    await stuck
    assert.deepEqual(ended, ['other', 'never drawn', 'greedy'])
  })

  await t.test('an image of more than 50 MiB is refused', async () => {
    site.page(
      '/noise',
      `<body style="margin:0;height:5000px"><script>
        const canvas = Object.assign(document.createElement('canvas'), { width: 4000, height: 200 })
        const noise = new ImageData(4000, 200)
        for (let at = 0; at < noise.data.length; at += 65536) {
          crypto.getRandomValues(noise.data.subarray(at, at + 65536))
        }
        noise.data.forEach((_, at) => { if (at % 4 === 3) noise.data[at] = 255 })
        canvas.getContext('2d').putImageData(noise, 0, 0)
        document.body.style.background = 'url(' + canvas.toDataURL() + ')'
      </script>`,
    )
    const configurations = {
      js_render: true,
      viewport: { width: 4_000, height: 1_000 },
      screenshot: { use: true, options: png },
    }

    // Drawing it takes a slow machine longer than a page has by default.
    const shot = visit('/noise', configurations, { timeoutMs: 300_000 })

    const failure = await assertFails('SCREENSHOT_FAILED', shot)

    assert.match(failure.message, /52428800 bytes/)
  })

  await t.test('an image without pixels is refused', async () => {
    site.page('/small', '')
    const viewport = { width: 1, height: 1, deviceScaleFactor: 0.1 }
    const options = { ...png, fullPage: false }

    await assertFails('SCREENSHOT_FAILED', shoot('/small', options, { viewport }))
  })

  await t.test('a page in an endless loop fails with SCREENSHOT_FAILED', async () => {
    site.page('/loop', '<script>onload = () => setTimeout(() => { for (;;); })</script>')
    const configurations = { js_render: true, screenshot: { use: true } }

    const ended = visit('/loop', configurations, { timeoutMs: 2_000 })

    const failure = await assertFails('SCREENSHOT_FAILED', ended)
    assert.match(failure.message, /in time/)
  })
})

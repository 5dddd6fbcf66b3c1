import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultScrapeOptions } from '../../../domain/scrape/scrape-options.ts'
import { type ImageOptions, planScreenshot } from './plan-screenshot.ts'
import { screenFor } from './screens.ts'

const byDefault = defaultScrapeOptions.screenshot.options
const desktop = screenFor('desktop', undefined)
const phone = screenFor('mobile', undefined)
const content = { width: 1_280, height: 5_000 }

const modeOf = (changes: Partial<ImageOptions>, page = content) =>
  planScreenshot({ ...byDefault, ...changes }, desktop, page).mode

test('a full page is captured by a clip, unless the options ask for an enlarged viewport', () => {
  assert.equal(modeOf({}), 'clip')
  assert.equal(modeOf({ captureBeyondViewport: false }), 'enlarged viewport')
  assert.equal(modeOf({ fromSurface: false }), 'enlarged viewport')
})

test('a page that fits the viewport is captured as the viewport', () => {
  assert.equal(modeOf({ fullPage: false }), 'viewport')
  assert.equal(modeOf({}, { width: 1_280, height: 800 }), 'viewport')
})

test('an image has device pixels, but CSS pixels without fromSurface', () => {
  const size = (changes: Partial<ImageOptions>) =>
    planScreenshot({ ...byDefault, ...changes }, phone, { width: 412, height: 1_001 }).image

  assert.deepEqual(size({}), { width: 1_082, height: 2_628 })
  assert.deepEqual(size({ fullPage: false }), { width: 1_082, height: 2_402 })
  assert.deepEqual(size({ fromSurface: false }), { width: 412, height: 1_001 })
})

const limits: [limit: string, changes: Partial<ImageOptions>, width: number, height: number][] = [
  ['65500', { type: 'jpeg' }, 1, 65_501],
  ['65500', { type: 'jpeg' }, 65_501, 1],
  ['16383', { type: 'webp' }, 1, 16_384],
  ['1000000', { type: 'png' }, 1, 1_000_001],
  ['16384', { type: 'png', fromSurface: false }, 1, 16_385],
  ['100000000', { type: 'png' }, 10_001, 10_000],
]

for (const [limit, changes, width, height] of limits) {
  test(`a screenshot of ${width} × ${height} with ${JSON.stringify(changes)} names the limit ${limit}`, () => {
    const options = { ...byDefault, ...changes }

    assert.throws(() => planScreenshot(options, desktop, { width, height }), {
      code: 'SCREENSHOT_FAILED',
      message: new RegExp(`\\b${limit}\\b`),
    })
  })
}

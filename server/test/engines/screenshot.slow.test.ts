/** Screenshots, compared pixel by pixel. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'
import { decodePng } from './decode-png.ts'
import { shooting } from './shooting.ts'
import { assertStriped, middlesOfStripes, stripedPage } from './striped-page.ts'

const white = [255, 255, 255]
const red = [255, 0, 0]
const lime = [0, 255, 0]
const nothing = [0, 0, 0, 0]

const png = { type: 'png' }
const redSquare =
  '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><rect width="100" height="100" fill="red"/></svg>'

/** An element at a place of its own. */
const box = (css: string) => `<div style="position:absolute;left:0;width:100px;${css}"></div>`

test('a screenshot', async (t) => {
  const scene = await startBrowserScene(t)
  const { site, visit } = scene
  const { shoot, seenByBrowser } = shooting(scene)

  const isNear = (color: number[], meant: number[]) =>
    meant.every((value, index) => Math.abs(value - (color[index] ?? 0)) <= 6)

  await t.test('the default screenshot is a JPEG of the full page, beside its HTML', async () => {
    site.page('/striped', stripedPage({ height: 5_000 }))

    const { page } = await visit('/striped', { screenshot: { use: true } })

    const { screenshot } = page
    assert.ok(screenshot)
    const { type, width, height } = screenshot
    assert.deepEqual({ type, width, height }, { type: 'jpeg', width: 1280, height: 5_000 })
    assert.match(Buffer.from(page.body).toString(), /rgb\(49,0,200\)/)
    const places = middlesOfStripes(5_000)
    const seen = await seenByBrowser(screenshot, places)
    for (const [index, { y, color }] of places.entries()) {
      assert.ok(isNear(seen[index] ?? [], color), `${seen[index]}, not ${color}, at ${y}`)
    }
  })

  await t.test('no screenshot is taken unless asked for', async () => {
    const { page } = await visit('/striped', { js_render: true })

    assert.equal(page.screenshot, undefined)
  })

  await t.test('a webp screenshot has the colours of the page', async () => {
    const image = await shoot('/striped', { type: 'webp' })

    assert.deepEqual([image.type, image.width, image.height], ['webp', 1280, 5_000])
    const places = middlesOfStripes(5_000)
    const seen = await seenByBrowser(image, places)
    for (const [index, { y, color }] of places.entries()) {
      assert.ok(isNear(seen[index] ?? [], color), `${seen[index]}, not ${color}, at ${y}`)
    }
  })

  for (const [height, width, scale] of [
    [5_000, 1280, 1],
    [30_000, 1280, 1],
    [30_000, 300, 2],
  ] as const) {
    await t.test(`a png of ${width} × ${height} at scale ${scale} has every pixel`, async () => {
      site.page('/tall', stripedPage({ height }))
      const viewport = { width, height: 800, deviceScaleFactor: scale }

      const image = await shoot('/tall', png, { viewport })

      const pixels = decodePng(image.bytes)
      const sizes = [image, pixels].map((one) => [one.width, one.height])
      assert.deepEqual(sizes, Array(2).fill([width * scale, height * scale]))
      assertStriped(pixels, { scale })
    })
  }

  await t.test('no layer of a page with many layers is blank', async () => {
    // Together they take more memory than the browser has for a page by default.
    const layers = Array.from({ length: 12 }, (_, layer) => {
      const css = `left:${layer * 20}px;top:9900px;width:20px;height:100px;background:lime`
      const lines = 'repeating-linear-gradient(transparent 0 49px, rgb(0 0 0 / 1%) 49px 50px)'
      return `<section style="background:${lines}">${box(css)}</section>`
    })
    site.page(
      '/layers',
      `<!doctype html><style>
        * { margin: 0 } body { position: relative; height: 10000px }
        section { position: absolute; inset: 0; will-change: transform }
      </style>${layers.join('')}`,
    )

    const pixels = decodePng((await shoot('/layers', png)).bytes)

    for (let layer = 0; layer < 12; layer += 1) {
      const [red = 255, green = 0] = pixels.at(layer * 20 + 10, 9_920)
      assert.ok(red < 30 && green > 200, `layer ${layer} is not drawn`)
    }
  })

  await t.test('a full-page screenshot is as wide as the page', async () => {
    site.page('/wide', `<body style="margin:0">${box('left:2900px;height:50px;background:red')}`)

    const pixels = decodePng((await shoot('/wide', png)).bytes)

    assert.deepEqual([pixels.width, pixels.height], [3_000, 800])
    assert.deepEqual([pixels.at(2_899, 10), pixels.at(2_900, 10)], [white, red])
  })

  await t.test('an empty page gives a viewport of its background', async () => {
    site.page('/empty', '')

    const pixels = decodePng((await shoot('/empty', png)).bytes)

    assert.deepEqual([pixels.width, pixels.height], [1_280, 800])
    assert.ok(pixels.row(799).every((byte) => byte === 255))
  })

  await t.test('fullPage off: the screenshot shows the viewport', async () => {
    const pixels = decodePng((await shoot('/striped', { ...png, fullPage: false })).bytes)

    assert.deepEqual([pixels.width, pixels.height], [1_280, 800])
    assertStriped(pixels)
  })

  await t.test('a screenshot has images and style sheets unless they are blocked', async () => {
    site.page('/square.svg', (_, response) => {
      response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(redSquare)
    })
    site.page('/lime.css', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/css' }).end('body { background: lime }')
    })
    site.page(
      '/illustrated',
      '<!doctype html><link rel=stylesheet href=/lime.css><img src=/square.svg style="position:absolute;left:0;top:0">',
    )

    const loaded = decodePng((await shoot('/illustrated', png)).bytes)
    const blocked = decodePng((await shoot('/illustrated', png, { block_resources: true })).bytes)

    assert.deepEqual([loaded.at(50, 50), loaded.at(500, 500)], [red, lime])
    assert.deepEqual([blocked.at(50, 50), blocked.at(500, 500)], [white, white])
  })

  await t.test('omitBackground: an image without a background is transparent', async () => {
    site.page('/bare', `<!doctype html>${box('top:0;height:100px;background:red')}`)
    const places = [{ y: 50 }, { y: 500 }]

    const byDefault = decodePng((await shoot('/bare', png)).bytes)
    const omitted = decodePng((await shoot('/bare', { ...png, omitBackground: true })).bytes)
    const webp = await shoot('/bare', { type: 'webp', omitBackground: true })
    const jpeg = await shoot('/bare', { type: 'jpeg', omitBackground: true })

    assert.deepEqual([byDefault.at(50, 50), byDefault.at(50, 500)], [red, white])
    assert.deepEqual([omitted.at(50, 50), omitted.at(50, 500)], [[...red, 255], nothing])
    const [inWebp = [], besideInWebp] = await seenByBrowser(webp, places)
    assert.ok(isNear(inWebp, [...red, 255]), String(inWebp))
    assert.deepEqual(besideInWebp, nothing)
    // It knows no transparency.
    const [, besideInJpeg] = await seenByBrowser(jpeg, places)
    assert.deepEqual(besideInJpeg, [...white, 255])
  })

  // Only where scripts run are images loaded late.
  const scripted = { js_render: true }
  /** What depends on the size of the view, and what comes only near it. */
  const dependent = `<!doctype html><style>
      * { margin: 0 } body { position: relative; height: 9000px }
      img, .later { position: absolute; left: 200px; top: 8000px; width: 100px; height: 100px }
      .later { left: 400px; content-visibility: auto }
      .later::before { content: ''; display: block; height: 100px; background: lime }
    </style>${box('top:0;height:100vh;background:red')}<img src=/square.svg loading=lazy>
    <div class=later></div>
    <div style="position:fixed;bottom:0;left:100px;width:50px;height:50px;background:lime"></div>`

  await t.test('captureBeyondViewport: the page is captured without a new layout', async () => {
    site.page('/dependent', dependent)

    const pixels = decodePng((await shoot('/dependent', png, scripted)).bytes)

    assert.equal(pixels.height, 9_000)
    assert.deepEqual([pixels.at(50, 799), pixels.at(50, 800)], [red, white])
    assert.deepEqual([pixels.at(110, 749), pixels.at(110, 750)], [white, lime])
    assert.deepEqual([pixels.at(250, 8_050), pixels.at(450, 8_050)], [white, white])
  })

  await t.test('captureBeyondViewport off: the viewport is enlarged to the page', async () => {
    site.page('/dependent', dependent)
    const options = { ...png, captureBeyondViewport: false }

    const pixels = decodePng((await shoot('/dependent', options, scripted)).bytes)

    assert.equal(pixels.height, 9_000)
    assert.deepEqual([pixels.at(50, 800), pixels.at(50, 8_999)], [red, red])
    assert.deepEqual([pixels.at(110, 8_949), pixels.at(110, 8_950)], [white, lime])
    assert.deepEqual([pixels.at(250, 8_050), pixels.at(450, 8_050)], [red, lime])
  })

  await t.test('fromSurface off: the image has CSS pixels', async () => {
    const viewport = { width: 400, height: 300, deviceScaleFactor: 2 }
    const ofView = { ...png, fromSurface: false }

    const whole = decodePng((await shoot('/striped', ofView, { viewport })).bytes)
    const shown = decodePng((await shoot('/striped', { ...ofView, fullPage: false })).bytes)

    assert.deepEqual([whole.width, whole.height], [400, 5_000])
    assertStriped(whole)
    assert.deepEqual([shown.width, shown.height], [1_280, 800])
    assertStriped(shown)
  })

  await t.test('a screenshot of a phone has device pixels', async () => {
    const metaViewport = '<meta name=viewport content="width=device-width">'
    site.page('/phone', stripedPage({ height: 3_000 }).replace('<style>', `${metaViewport}<style>`))
    const phone = { device_type: 'mobile' }

    const whole = decodePng((await shoot('/phone', png, phone)).bytes)
    const shown = decodePng((await shoot('/phone', { ...png, fullPage: false }, phone)).bytes)

    assert.deepEqual([whole.width, whole.height], [1_082, 7_875])
    assert.deepEqual([shown.width, shown.height], [1_082, 2_402])
    for (const { y, color } of middlesOfStripes(3_000)) {
      for (const x of [0, 1_080]) assert.deepEqual(whole.at(x, Math.floor(y * 2.625)), color)
    }
    for (const { y, color } of middlesOfStripes(900)) {
      for (const x of [0, 1_080]) assert.deepEqual(shown.at(x, Math.floor(y * 2.625)), color)
    }
  })

  await t.test('a desktop page on a phone is captured in its layout width', async () => {
    const phone = {
      device_type: 'mobile',
      viewport: { width: 400, height: 800, deviceScaleFactor: 1 },
    }

    const whole = decodePng((await shoot('/striped', png, phone)).bytes)
    const shown = decodePng((await shoot('/striped', { ...png, fullPage: false }, phone)).bytes)

    assert.deepEqual([whole.width, whole.height], [980, 5_000])
    assertStriped(whole)
    // The screen shows all of the width, made smaller.
    assert.deepEqual([shown.width, shown.height], [400, 800])
    assert.deepEqual(shown.at(399, 799), [Math.floor((799 / 400) * 9.8), 0, 200])
  })

  await t.test('fullPage off: the scroll position is kept', async () => {
    site.page('/scrolled', `${stripedPage({ height: 5_000 })}<script>scrollTo(0, 2000)</script>`)
    const options = { ...png, fullPage: false }

    const pixels = decodePng((await shoot('/scrolled', options, { js_render: true })).bytes)

    assert.deepEqual(
      [pixels.at(0, 0), pixels.at(0, 799)],
      [
        [20, 0, 200],
        [27, 0, 200],
      ],
    )
  })

  await t.test('documentLoaded: the screenshot shows the parsed page', async () => {
    const pixels = decodePng((await shoot('/striped', png, { mode: 'documentLoaded' })).bytes)

    assertStriped(pixels)
  })

  await t.test('a screenshot shows the changes of scripts when they run', async () => {
    site.page('/scripted', '<body><script>document.body.style.background = "lime"</script>')

    const [off, on] = await Promise.all([
      shoot('/scripted', png),
      shoot('/scripted', png, { js_render: true }),
    ])

    assert.deepEqual(decodePng(off.bytes).at(9, 9), white)
    assert.deepEqual(decodePng(on.bytes).at(9, 9), lime)
  })
})

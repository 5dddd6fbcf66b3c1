/** The option viewport: the emulated screen of a page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'

const queries = [
  'pointer: coarse',
  'pointer: fine',
  'hover: hover',
  'orientation: landscape',
  'resolution: 3dppx',
]

const tellScreen = `<script>onload = () => {
  document.body.append(Object.assign(document.createElement('output'), {
    textContent: JSON.stringify({
      view: [innerWidth, innerHeight],
      layout: document.documentElement.clientWidth,
      screen: [screen.width, screen.height],
      window: [outerWidth, outerHeight],
      scale: devicePixelRatio,
      touchPoints: navigator.maxTouchPoints,
      hasTouchEvents: 'ontouchstart' in window,
      orientation: screen.orientation.type,
      media: ${JSON.stringify(queries)}.filter((query) => matchMedia('(' + query + ')').matches),
      userAgent: navigator.userAgent,
    }),
  }))
}</script>`

const metaViewport = '<meta name=viewport content="width=device-width">'

test('the viewport', async (t) => {
  const { site, html } = await startBrowserScene(t)
  site.page('/', `<!doctype html>${tellScreen}`)
  site.page('/fitting', `<!doctype html>${metaViewport}${tellScreen}`)

  async function told(path: string, configurations: object) {
    const shown = await html(path, { js_render: true, ...configurations })
    return JSON.parse(/<output>(.*)<\/output>/.exec(shown)?.[1] ?? '{}')
  }

  const desktop = {
    view: [1280, 800],
    layout: 1280,
    screen: [1280, 800],
    window: [1280, 800],
    scale: 1,
    touchPoints: 0,
    hasTouchEvents: false,
    orientation: 'landscape-primary',
    media: ['pointer: fine', 'hover: hover', 'orientation: landscape'],
  }

  for (const [name, viewport] of [
    ['by default', undefined],
    ['with an empty viewport option', {}],
  ] as const) {
    await t.test(`${name}, the viewport is 1280 × 800, without touch, at scale 1`, async () => {
      const { userAgent: _, ...rest } = await told('/', { viewport })

      assert.deepEqual(rest, desktop)
    })
  }

  await t.test('with width alone, the height stays 800', async () => {
    assert.deepEqual((await told('/', { viewport: { width: 640 } })).view, [640, 800])
  })

  await t.test('with height alone, the width stays 1280', async () => {
    assert.deepEqual((await told('/', { viewport: { height: 2_000 } })).view, [1280, 2_000])
  })

  await t.test('width and height apply to viewport, screen and window', async () => {
    const { view, layout, screen, window } = await told('/', {
      viewport: { width: 1_920, height: 1_080 },
    })

    const size = [1_920, 1_080]
    assert.deepEqual({ view, screen, window }, { view: size, screen: size, window: size })
    assert.equal(layout, 1_920)
  })

  await t.test('the smallest and the largest viewport work', async () => {
    const small = await told('/', { viewport: { width: 1, height: 1 } })
    const large = await told('/', { viewport: { width: 8_192, height: 8_192 } })

    assert.deepEqual(
      [small.view, large.view],
      [
        [1, 1],
        [8_192, 8_192],
      ],
    )
  })

  await t.test('deviceScaleFactor applies to scripts, styles and images', async () => {
    site.page('/sources', '<img src="/one" srcset="/one 1x, /three 3x">')
    const viewport = { deviceScaleFactor: 3 }

    const { scale, media, view } = await told('/', { viewport })
    await html('/sources', { js_render: true, block_resources: false, viewport })

    assert.equal(scale, 3)
    assert.ok(media.includes('resolution: 3dppx'))
    assert.deepEqual(view, [1280, 800])
    assert.ok(site.asked.includes('/three') && !site.asked.includes('/one'))
  })

  await t.test('isMobile: the meta viewport tag applies; the default is 980 wide', async () => {
    const viewport = { width: 400, height: 800 }
    const mobile = { viewport: { ...viewport, isMobile: true } }

    assert.equal((await told('/fitting', mobile)).layout, 400)
    assert.equal((await told('/', mobile)).layout, 980)
    site.page('/own', `<!doctype html><meta name=viewport content="width=700">${tellScreen}`)
    assert.equal((await told('/own', mobile)).layout, 700)
    assert.equal((await told('/own', { viewport })).layout, 400, 'a desktop passes over it')
  })

  await t.test('hasTouch gives touch events, touch points and a coarse pointer', async () => {
    const { touchPoints, hasTouchEvents, media } = await told('/', { viewport: { hasTouch: true } })

    assert.deepEqual({ touchPoints, hasTouchEvents }, { touchPoints: 5, hasTouchEvents: true })
    assert.deepEqual(media, ['pointer: coarse', 'orientation: landscape'])
  })

  await t.test('isLandscape sets the orientation, by default from width and height', async () => {
    const upright = { width: 500, height: 900 }
    const orientationOf = async (viewport: object) => (await told('/', { viewport })).orientation

    assert.equal(await orientationOf(upright), 'portrait-primary')
    assert.equal(await orientationOf({ width: 900, height: 500 }), 'landscape-primary')
    assert.equal(await orientationOf({ ...upright, isLandscape: true }), 'landscape-primary')
    assert.equal(
      await orientationOf({ width: 900, height: 500, isLandscape: false }),
      'portrait-primary',
    )
  })

  await t.test('the viewport option wins over the device, which fills in the rest', async () => {
    const viewport = { width: 600, height: 400, deviceScaleFactor: 1.5 }

    const phone = await told('/fitting', { device_type: 'mobile', viewport })
    const mouse = await told('/fitting', {
      device_type: 'mobile',
      viewport: { ...viewport, hasTouch: false, isMobile: false },
    })

    assert.match(phone.userAgent, /Android.*Mobile/)
    assert.deepEqual([phone.view, phone.screen, phone.scale], [[600, 400], [600, 400], 1.5])
    assert.deepEqual([phone.touchPoints, phone.orientation], [5, 'landscape-primary'])
    assert.match(mouse.userAgent, /Android.*Mobile/)
    assert.deepEqual([mouse.touchPoints, mouse.hasTouchEvents], [0, false])
  })
})

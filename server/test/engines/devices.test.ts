/** An emulated device looks the same in headers and to scripts, in frames and in workers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startBrowserScene } from '../support/browser-scene.ts'
import { startTestDns } from '../support/test-dns.ts'
import { openEngine } from './open-engine.ts'

const facts = {
  desktop: {
    platform: 'Win32',
    isPhone: false,
    formFactors: ['Desktop'],
    screen: [1280, 800, 1],
    orientation: 'landscape-primary',
    touchPoints: 0,
  },
  mobile: {
    platform: 'Linux armv81',
    isPhone: true,
    formFactors: ['Mobile'],
    screen: [412, 915, 2.625],
    orientation: 'portrait-primary',
    touchPoints: 5,
  },
  tablet: {
    platform: 'Linux armv81',
    isPhone: false,
    formFactors: ['Tablet'],
    screen: [800, 1280, 2],
    orientation: 'portrait-primary',
    touchPoints: 5,
  },
} as const

const deviceTypes = ['desktop', 'mobile', 'tablet'] as const
const mediaQueries = ['pointer: coarse', 'pointer: fine', 'hover: hover', 'orientation: portrait']

/** What a page or a worker finds out about the browser it is in. */
const findOut = `(async () => {
  const { userAgent, appVersion, platform, language, languages, userAgentData } = navigator
  const hints = await userAgentData.getHighEntropyValues(
    ['fullVersionList', 'formFactors', 'platformVersion', 'uaFullVersion'])
  return { userAgent, appVersion, platform, language, languages, hints }
})()`

const page = `<!doctype html><meta name=viewport content="width=device-width">
  <img src=/image><iframe src=/frame></iframe><script>(async () => {
    const heard = (port) => new Promise((resolve) => {
      port.onmessage = ({ data }) => resolve(data)
    })
    const told = {
      page: await ${findOut},
      worker: await heard(new Worker('/worker.js')),
      blobWorker: await heard(new Worker(URL.createObjectURL(new Blob([
        ${JSON.stringify(`${findOut}.then(postMessage)`)}])))),
      workerOfWorker: await heard(new Worker('/parent.js')),
      sharedWorker: await heard(new SharedWorker('/shared.js').port),
      isSteered: navigator.webdriver,
      touchPoints: navigator.maxTouchPoints,
      hasTouchEvents: 'ontouchstart' in window,
      screen: [screen.width, screen.height, devicePixelRatio],
      view: [innerWidth, innerHeight],
      window: [outerWidth, outerHeight],
      orientation: screen.orientation.type,
      media: ${JSON.stringify(mediaQueries)}.filter((query) => matchMedia('(' + query + ')').matches),
    }
    await fetch('/data')
    const output = document.createElement('output')
    output.textContent = JSON.stringify(told)
    document.body.append(output)
  })()</script>`

const scripts = {
  '/worker.js': `${findOut}.then(postMessage); fetch('/worker-data')`,
  '/parent.js': `new Worker('/worker.js').onmessage = ({ data }) => postMessage(data)`,
  '/shared.js': `onconnect = async ({ ports }) => {
    await fetch('/shared-data')
    ports[0].postMessage(await ${findOut})
  }`,
}

const spoken = ['user-agent', 'accept-language', 'sec-ch-ua', 'sec-ch-ua-mobile']
const toldOnDocuments = [...spoken, 'sec-ch-ua-platform']

test('device emulation', async (t) => {
  const dns = await startTestDns(t, { 'site.test': { addresses: ['127.0.0.1'] } })
  const scene = await startBrowserScene(t, { dnsServers: [dns.address] })
  const { site, html, visit } = scene
  site.page('/', page)
  for (const [path, source] of Object.entries(scripts)) {
    site.page(path, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)
    })
  }
  const lastHeaders = (path: string) => site.askedFor(path).at(-1)?.headers ?? {}
  const pick = (headers: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, headers[name]]))

  for (const device_type of deviceTypes) {
    await t.test(`${device_type}: headers, frames and workers show the same device`, async () => {
      const { platform, isPhone, formFactors, screen, orientation, touchPoints } =
        facts[device_type]
      const asked = site.asked.length
      const options = { js_render: true, block_resources: false, waitForSelector: 'output' }

      const shown = await html('/', { ...options, device_type })
      const inBrowser = lastHeaders('/')
      await openEngine(t).fetch(site.url('/'), { options: { device_type } })

      const told = JSON.parse(/<output>(.*)<\/output>/.exec(shown)?.[1] ?? '{}')
      const { 'user-agent': userAgent = '', 'sec-ch-ua-platform': hintedPlatform } = inBrowser
      const version = /Chrome\/(\d+)/.exec(userAgent)?.[1]
      assert.deepEqual(
        pick(inBrowser, toldOnDocuments),
        pick(lastHeaders('/'), toldOnDocuments),
        'both engines say the same',
      )
      for (const place of ['page', 'worker', 'blobWorker', 'workerOfWorker', 'sharedWorker']) {
        const { hints, ...rest } = told[place]
        assert.deepEqual(
          rest,
          {
            userAgent,
            appVersion: userAgent.replace('Mozilla/', ''),
            platform,
            language: 'en-US',
            languages: ['en-US', 'en'],
          },
          place,
        )
        assert.equal(hints.mobile, isPhone, place)
        assert.equal(`"${hints.platform}"`, hintedPlatform, place)
        assert.deepEqual(hints.formFactors, formFactors, place)
        assert.ok(hints.uaFullVersion.startsWith(`${version}.`), place)
        const brands = hints.brands.map(
          ({ brand, version }: Record<string, string>) => `"${brand}";v="${version}"`,
        )
        assert.equal(brands.join(', '), inBrowser['sec-ch-ua'], place)
        const chrome = hints.fullVersionList.find(
          ({ brand }: { brand: string }) => brand === 'Google Chrome',
        )
        assert.equal(chrome.version, hints.uaFullVersion, place)
      }
      assert.deepEqual(told.screen, screen)
      assert.deepEqual(told.view, screen.slice(0, 2))
      assert.deepEqual(told.window, screen.slice(0, 2))
      assert.equal(told.orientation, orientation)
      assert.equal(told.isSteered, false)
      assert.equal(told.touchPoints, touchPoints)
      assert.equal(told.hasTouchEvents, touchPoints > 0)
      assert.deepEqual(
        told.media,
        touchPoints > 0
          ? ['pointer: coarse', 'orientation: portrait']
          : ['pointer: fine', 'hover: hover'],
      )
      assert.deepEqual(
        site.asked
          .slice(asked)
          .filter((path) => path === '/worker-data' || path === '/shared-data'),
        ['/worker-data', '/worker-data', '/shared-data'],
      )
      for (const path of ['/image', '/frame', '/data']) {
        assert.deepEqual(pick(lastHeaders(path), toldOnDocuments), pick(inBrowser, toldOnDocuments))
      }
      for (const path of ['/worker-data', '/shared-data']) {
        const names = ['user-agent', 'accept-language']
        assert.deepEqual(pick(lastHeaders(path), names), pick(inBrowser, names))
      }
    })
  }

  await t.test('the default device is a desktop', async () => {
    await visit('/', { js_render: true })

    assert.match(lastHeaders('/')['user-agent'] ?? '', /Windows NT 10/)
  })

  await t.test('no request reveals a headless browser', () => {
    for (const path of new Set(site.asked)) {
      for (const { headers } of site.askedFor(path)) {
        assert.doesNotMatch(JSON.stringify(headers), /headless/i)
      }
    }
  })

  await t.test('an insecure origin gets no client hints, also after a redirect', async () => {
    const elsewhere = `http://site.test:${site.port}`
    site.page('/plain', '<img src=/plain-image>')
    site.page('/moved', (_, response) => {
      response.writeHead(302, { location: `${elsewhere}/plain?moved` }).end()
    })
    const options = { js_render: true, block_resources: false }

    await visit(`${elsewhere}/plain`, options)
    await visit('/moved', options)

    const hinted = (path: string) =>
      Object.keys(lastHeaders(path)).filter((name) => name.startsWith('sec-ch'))
    assert.deepEqual(hinted('/plain'), [])
    assert.deepEqual(hinted('/plain-image'), [])
    assert.deepEqual(hinted('/plain?moved'), [])
    assert.equal(hinted('/moved').length, 3)
  })

  await t.test('client hints that a site asks for match the others', async () => {
    site.page('/asking', (_, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'accept-ch':
          'sec-ch-ua-full-version-list, sec-ch-ua-form-factors, sec-ch-ua-platform-version',
      })
      response.end('<iframe src=/asked></iframe>')
    })

    await visit('/asking', { js_render: true, device_type: 'mobile' })

    const headers = lastHeaders('/asked')
    assert.match(String(headers['sec-ch-ua-full-version-list']), /"Google Chrome";v="\d+\.\d+/)
    assert.equal(headers['sec-ch-ua-form-factors'], '"Mobile"')
    assert.equal(headers['sec-ch-ua-platform-version'], '"10.0.0"')
  })

  await t.test("no client hints are sent along with the caller's own user agent", async () => {
    const forwardedHeaders = { 'user-agent': 'my-client/1' }

    await visit('/plain', { js_render: true, keep_headers: true }, { forwardedHeaders })

    assert.deepEqual(pick(lastHeaders('/plain'), ['user-agent', 'sec-ch-ua']), {
      'user-agent': 'my-client/1',
      'sec-ch-ua': undefined,
    })
  })
})

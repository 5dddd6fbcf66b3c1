/** What every browser has to do, whether it is the headless shell or a full browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFails } from '../support/assert-fails.ts'
import { listBrowserHomes, listBrowserProcesses } from '../support/browser-processes.ts'
import { browserFlavors, startBrowserScene } from '../support/browser-scene.ts'
import { startCountingProxy } from '../support/counting-proxy.ts'
import { until } from '../support/until.ts'
import { decodePng } from './decode-png.ts'
import { shooting } from './shooting.ts'

const scripted = { js_render: true }
const everything = {
  ...scripted,
  block_resources: false,
  optimizations: { loadOnlySameOriginRequests: false },
}

for (const flavor of browserFlavors) {
  test(`${flavor}: a page`, async (t) => {
    const scene = await startBrowserScene(t, { flavor })
    const { engine, site, visit, html } = scene

    await t.test('a health check opens a page', async () => {
      await engine.probe(AbortSignal.timeout(20_000))
    })

    await t.test('a page is opened after a redirect, and its script runs', async () => {
      site.page('/moved', (_, response) => response.writeHead(302, { location: '/here' }).end())
      site.page('/here', '<p></p><script>document.querySelector("p").textContent = 6 * 7</script>')

      const { page } = await visit('/moved', { ...everything, debug: true })

      assert.equal(page.url, site.url('/here'))
      assert.match(Buffer.from(page.body).toString(), /<p>42<\/p>/)
      // No icon of a tab: the caller gets and pays what the page has asked for.
      assert.deepEqual(site.asked.slice(-2), ['/moved', '/here'])
      assert.equal(page.bandwidth.requests, 2)
      assert.equal(page.requests.length, 2)
    })

    await t.test('the first request has the headers and the cookies of the caller', async () => {
      site.page('/told', '<p>told</p>')
      const options = {
        ...scripted,
        keep_headers: true,
        device_type: 'mobile',
        cookies: [{ name: 'a', value: 'b' }],
      }

      await visit('/told', options, { forwardedHeaders: { 'x-own': 'yes' } })

      const [{ headers = {} } = {}] = site.askedFor('/told')
      assert.equal(headers['x-own'], 'yes')
      assert.equal(headers.cookie, 'a=b')
      assert.equal(headers['sec-ch-ua-mobile'], '?1')
      assert.match(headers['user-agent'] ?? '', /Mobile/)
    })

    await t.test('a page acts and has an image taken of it', async () => {
      site.page('/form', '<body style="margin:0;background:#0f0"><input><button>go</button>')
      const actions = [
        { action: 'type', selector: 'input', value: 'fish' },
        { action: 'click', selector: 'button' },
        { action: 'evaluate', value: 'document.querySelector("input").value' },
      ]

      const { shoot } = shooting(scene)
      const image = await shoot('/form', { type: 'png', fullPage: false }, scripted)
      const { page } = await visit('/form', { ...scripted, js_scenario: { actions } })

      assert.deepEqual([image.width, image.height], [1280, 800])
      assert.deepEqual(decodePng(image.bytes).at(600, 700).slice(0, 3), [0, 255, 0])
      assert.equal(page.scenario?.at(-1)?.value, 'fish')
    })

    await t.test('a target that asks for credentials does not hold the page up', async () => {
      for (const status of [401, 407]) {
        const challenge = { 'www-authenticate': 'Basic realm="x"' }
        site.page(`/${status}`, (_, response) => response.writeHead(status, challenge).end('no'))
      }
      site.page(
        '/refused',
        `<p></p><img src=/401><iframe src=/401></iframe><script type=module>
          const statuses = []
          for (const status of [401, 407, 401]) statuses.push((await fetch('/' + status)).status)
          document.querySelector('p').textContent = statuses.join()
          document.body.id = 'done'
        </script>`,
      )

      const shown = await html('/refused', { ...everything, waitForSelector: '#done' })

      assert.match(shown, /<p>401,407,401<\/p>/)
    })

    await t.test('a page goes through an upstream proxy that wants credentials', async () => {
      const user = { name: 'trawl', password: 'secret' }
      const proxy = await startCountingProxy(t, { protocol: 'http', user, places: {} })
      site.page('/proxied', '<script src=/proxied.js></script>')

      const { page } = await visit('/proxied', everything, { proxy: proxy.route })
      await assertFails(
        'PROXY_FAILED',
        visit('/proxied', everything, { proxy: { ...proxy.route, user: undefined } }),
      )

      assert.equal(page.statusCode, 200)
      assert.equal(site.askedFor('/proxied.js').length, 1)
    })

    await t.test('a file that a browser could show is a download', async () => {
      site.page('/file', (_, response) =>
        response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4\n%%EOF'),
      )

      await assertFails('BAD_RESPONSE', visit('/file', scripted))
    })

    await t.test('pages at once share nothing, and nothing is left of their browser', async () => {
      site.page(
        '/one',
        '<p></p><script>document.querySelector("p").append(document.cookie)</script>',
      )
      const visits = ['a', 'b', 'c'].map((value) =>
        html('/one', { ...scripted, cookies: [{ name: 'own', value }] }),
      )

      const shown = await Promise.all(visits)
      await engine[Symbol.asyncDispose]()

      assert.deepEqual(
        shown.map((one) => /<p>(.*)<\/p>/.exec(one)?.[1]),
        ['own=a', 'own=b', 'own=c'],
      )
      await until(() => listBrowserProcesses().length === 0)
      assert.deepEqual(listBrowserHomes(), [])
    })
  })
}

/** Extractions that a browser makes: rendering, `wait_config` and screenshots. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePng } from '../engines/decode-png.ts'
import { extract, extracted, failureIn, once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const addLater = (ms: number) =>
  `<head><script>setTimeout(() => { document.body.innerHTML += '<b id="late">late</b>' }, ${ms})</script></head><body><p>first</p>`

onBothStores((kind, start) => {
  test(`${kind}: an extraction in a browser`, async (t) => {
    const site = await startPageSite(t)
    site.page('/scripted', '<body><script>document.body.innerHTML = "<p>rendered</p>"</script>')
    site.page('/soon', addLater(100))
    site.page(
      '/fetching',
      '<head><script>fetch("/slow").then((r) => r.text()).then((t) => { document.body.innerHTML = t })</script></head><body>',
    )
    site.page('/slow', (_, response) => void setTimeout(() => response.end('fetched'), 300))
    site.page('/never', () => undefined)
    site.page('/green', '<body style="margin:0;background:rgb(0,128,0)"><p>green')
    site.page('/echo', (request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<pre>${JSON.stringify(request.headers)}</pre>`),
    )
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()) },
    })
    const account = await service.createAccount()
    const render = (path: string, more: object = {}) =>
      extracted(account, { url: site.url(path), render_js: true, formats: ['text'], ...more })

    await t.test('`render_js` returns the page after its scripts, by the browser', async () => {
      const { data, metadata } = await render('/scripted', { formats: ['html', 'text'] })

      assert.equal(data.text, 'rendered')
      assert.match(data.html ?? '', /<p>rendered<\/p>/)
      assert.deepEqual(
        [metadata.render_js, metadata.engine, metadata.engine_reason],
        [true, 'browser', 'requested'],
      )
    })

    await t.test('without `wait_config` the page is read when it is quiet', async () => {
      assert.equal((await render('/fetching')).data.text, 'fetched')
    })

    await t.test('with `wait_config` only what it says is waited for', async () => {
      const until = async (wait_config: object) =>
        (await render('/fetching', { wait_config })).data.text

      assert.equal(await until({ wait_until: 'domcontentloaded' }), '')
      assert.equal(await until({ wait_until: 'networkidle' }), 'fetched')
      assert.equal(await until({ wait_for: '//body[contains(., "fetched")]' }), 'fetched')
      assert.equal(await until({ wait_until: 'load', wait_timeout: 3000 }), 'fetched')
    })

    await t.test('`wait_until: commit` alone returns the page as it was received', async () => {
      const { data } = await render('/scripted', {
        formats: ['html'],
        wait_config: { wait_until: 'commit' },
      })

      assert.match(data.html ?? '', /document\.body\.innerHTML/)
    })

    await t.test('`wait_for` waits for a CSS selector or an XPath', async () => {
      for (const wait_for of ['#late', '//b[@id="late"]']) {
        const { data, metadata } = await render('/soon', { wait_config: { wait_for } })

        assert.match(data.text ?? '', /first\s*late/)
        const wait = { wait_until: null, wait_for, wait_timeout: null }
        assert.deepEqual(metadata.wait_config, wait)
      }
    })

    await t.test('a selector that never appears is WAIT_FOR_SELECTOR_TIMEOUT', async () => {
      const response = await extract(account, {
        url: site.url('/scripted'),
        render_js: true,
        wait_config: { wait_for: '#never' },
        timeout: 3000,
        ...once,
      })

      const { error } = failureIn(response)
      assert.equal(error.code, 'WAIT_FOR_SELECTOR_TIMEOUT')
      assert.deepEqual(error.details, { reason: 'SELECTOR_NOT_FOUND' })
    })

    await t.test('an action that cannot be done is UNPROCESSABLE_CONTENT', async () => {
      const actions = [{ action: 'click', selector: '#never' }]
      const response = await extract(account, {
        url: site.url('/scripted'),
        render_js: true,
        timeout: 4000,
        configurations: { ...once.configurations, js_scenario: { actions } },
      })

      const { error } = failureIn(response)
      assert.equal(error.code, 'UNPROCESSABLE_CONTENT')
      assert.deepEqual(error.details, { reason: 'ACTION_FAILED' })
    })

    await t.test('a message about the time limit names the field of an extraction', async () => {
      const { error } = failureIn(
        await extract(account, {
          url: site.url('/never'),
          render_js: true,
          timeout: 1500,
          ...once,
        }),
      )

      assert.deepEqual(error.details, { reason: 'TARGET_TIMEOUT' })
      assert.match(error.message, /; raise timeout, beside configurations, to wait longer\./)
    })

    await t.test('`screenshot` is a link to an image, of a page without scripts too', async () => {
      const { data, metadata } = await extracted(account, {
        url: site.url('/green'),
        formats: ['screenshot', 'text'],
        configurations: {
          screenshot: { options: { type: 'png', fullPage: false } },
          viewport: { width: 300, height: 200 },
        },
      })

      const { screenshot } = data
      assert.deepEqual([screenshot?.type, screenshot?.width, screenshot?.height], ['png', 300, 200])
      const image = decodePng(Buffer.from(await (await fetch(screenshot?.url ?? '')).arrayBuffer()))
      assert.deepEqual(image.at(299, 199).slice(0, 3), [0, 128, 0])
      assert.equal(data.text, 'green')
      assert.deepEqual([metadata.render_js, metadata.engine], [false, 'browser'])
      assert.equal(metadata.engine_reason, 'options_need_browser')
      assert.deepEqual([metadata.formats, metadata.all_formats], [[], ['screenshot', 'text']])
    })

    await t.test('`headers` and their cookies reach the target from a browser', async () => {
      const headers = { 'X-Mine': 'yes', Authorization: 'Bearer secret', Cookie: 'a=1; b=2' }
      const { data } = await render('/echo', { headers })

      const echoed = JSON.parse(data.text ?? '')
      assert.deepEqual([echoed['x-mine'], echoed.authorization], ['yes', 'Bearer secret'])
      assert.equal(echoed.cookie, 'a=1; b=2')
    })

    await t.test('the results of a scenario in `configurations` are in `data`', async () => {
      const actions = [{ action: 'evaluate', value: '6 * 7' }]
      const { data } = await render('/scripted', { configurations: { js_scenario: { actions } } })

      const [step] = data['scenario'] as { value: unknown }[]
      assert.equal(step?.value, 42)
    })
  })
})

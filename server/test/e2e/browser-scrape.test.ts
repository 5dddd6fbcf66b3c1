import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePng } from '../engines/decode-png.ts'
import { startPageSite } from '../support/page-site.ts'
import { withBrowser } from '../support/real-browser.ts'
import { reachingLoopback, submitTask } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const shop = `<!doctype html><html><body style="margin: 0; background: rgb(0, 128, 0)">
  <button id="more" onclick="load()">More</button><ul id="list"></ul><script>
    const load = async () => {
      for (const { name } of await (await fetch('/fish')).json()) list.innerHTML += '<li>' + name + '</li>'
    }
  </script></body></html>`

onBothStores((kind, start) => {
  test(`${kind}: one callback has the page after its scenario, the screenshot link and the data`, async (t) => {
    const site = await startPageSite(t)
    site.page('/shop', shop)
    site.page('/fish', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('[{"name":"cod"},{"name":"pike"}]'),
    )
    const receiver = await startTestReceiver(t)
    const service = await start(t, {
      environment: { ...reachingLoopback, ...(await withBrowser()) },
    })
    const account = await service.createAccount()

    await submitTask(account, {
      url: site.url('/shop'),
      callbackUrl: receiver.url,
      configurations: {
        js_render: true,
        response_format: 'json',
        viewport: { width: 300, height: 200 },
        collect_data_from_requests: true,
        screenshot: { use: true, options: { type: 'png', fullPage: false } },
        js_scenario: {
          actions: [
            { action: 'click', selector: '#more' },
            { action: 'waitFor', selector: 'li + li' },
            { action: 'evaluate', value: 'list.children.length' },
          ],
        },
      },
    })
    const [callback] = await receiver.arrivals(1)

    const { status, attempts, result } = callback?.json ?? {}
    assert.deepEqual([status, attempts, result.engine], ['completed', 1, 'browser'])
    assert.match(result.html, /<ul id="list"><li>cod<\/li><li>pike<\/li><\/ul>/)
    assert.deepEqual(
      result.scenario.map(({ ok, value }: Record<string, unknown>) => [ok, value]),
      [
        [true, undefined],
        [true, undefined],
        [true, 2],
      ],
    )
    assert.deepEqual(
      result.collectedData.map(({ url, body }: Record<string, unknown>) => [url, body]),
      [[site.url('/fish'), '[{"name":"cod"},{"name":"pike"}]']],
    )
    assert.deepEqual([result.screenshot.width, result.screenshot.height], [300, 200])
    const image = decodePng(Buffer.from(await (await fetch(result.screenshot.url)).arrayBuffer()))
    assert.deepEqual(image.at(299, 199).slice(0, 3), [0, 128, 0])
  })
})

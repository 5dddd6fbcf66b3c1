import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtractJob, ResultObject } from '../../src/wire/scrape/responses.ts'
import { callbackPath, reachingLoopback } from '../support/scrape-calls.ts'
import { imageOf, screenshotOptions, startStubWorker } from '../support/stub-worker.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { onBothStores } from '../support/test-service.ts'

const environment = { ...reachingLoopback, TRAWL_ROLES: 'api,delivery' }

const scenario = [
  { action: 'click', ok: true, durationMs: 12 },
  { action: 'evaluate', ok: true, durationMs: 1, value: { fish: ['größer', '\u0000'] } },
  {
    action: 'scroll_on_list_and_get_items',
    ok: true,
    durationMs: 3,
    items: [{ html: '<li>', text: '' }],
  },
  { action: 'hover', ok: false, durationMs: 5, error: 'There is no such element.' },
]
const collectedData = [
  {
    url: 'http://target.test/api',
    method: 'POST',
    statusCode: 201,
    contentType: null,
    body: '{"a":"😀"}',
    truncated: true,
  },
]
const both = { scenario, collectedData }

onBothStores((kind, start) => {
  test(`${kind}: results of a browser`, async (t) => {
    const receiver = await startTestReceiver(t)
    const service = await start(t, { environment })
    const { url } = service
    const desk = await startStubWorker(t, service)
    const account = await service.createAccount()
    const resultOf = (id: string) => account.call(`GET ${callbackPath}/${id}/result`)
    const jobOf = async (id: string) =>
      ExtractJob.strict().parse((await account.call(`GET /v1/extract/${id}`)).json())
    const posted = async (path: string, count = 1) => {
      const last = (await receiver.arrivals(count, path)).at(-1)
      assert(last)
      return last.json
    }
    const shown = { type: 'jpeg', width: 1280, height: 800 }

    await t.test('the result object has all browser data, screenshot as base64', async () => {
      const screenshot = imageOf('jpeg')
      const configurations = { ...screenshotOptions(screenshot, 'base64'), response_format: 'json' }
      const id = await desk.finishTask(account, { configurations, page: { screenshot, ...both } })

      const answer = await resultOf(id)

      assert.equal(answer.headers['x-engine'], 'browser')
      const result = ResultObject.strict().parse(answer.json())
      const data = Buffer.from(screenshot.bytes).toString('base64')
      assert.deepEqual(result, {
        statusCode: 200,
        url: 'http://target.test/end',
        html: '<p>cod</p>',
        headers: { 'content-type': 'text/html' },
        cookies: [],
        bandwidth: { received: 3, sent: 2, requests: 1 },
        engine: 'browser',
        attempts: 1,
        screenshot: { ...shown, data },
        collectedData,
        scenario,
      })
    })

    await t.test('an extract job contains the screenshot as base64', async () => {
      const screenshot = imageOf('jpeg')
      const page = { screenshot, ...both }
      const encoded = { ...shown, data: Buffer.from(screenshot.bytes).toString('base64') }
      const configurations = screenshotOptions(screenshot, 'base64')
      const json = { ...configurations, is_json_response: true }

      const asHtml = await jobOf(await desk.finishTask(account, { configurations, page }))
      const body = Buffer.from('{"a": 1}')
      const asJson = await jobOf(
        await desk.finishTask(account, { configurations: json, page: { ...page, body } }),
      )

      assert.deepEqual(asHtml.data, { html: '<p>cod</p>', markdown: null, screenshot: encoded })
      assert.deepEqual(asJson.data, {
        html: null,
        markdown: null,
        json: { a: 1 },
        screenshot: encoded,
      })
      assert.deepEqual(asHtml.metadata?.formats, ['html'])
    })

    await t.test('a screenshot of many megabytes is returned whole', async () => {
      const screenshot = imageOf('jpeg', 12 * 2 ** 20 + 1)
      const configurations = { ...screenshotOptions(screenshot, 'base64'), response_format: 'json' }
      const id = await desk.finishTask(account, { configurations, page: { screenshot, ...both } })
      const data = Buffer.from(screenshot.bytes).toString('base64')

      const answer = await resultOf(id)
      const job = await account.call(`GET /v1/extract/${id}`)

      for (const { text, headers } of [answer, job]) {
        assert.equal(Number(headers['content-length']), Buffer.byteLength(text))
      }
      assert.ok(answer.json().screenshot.data === data)
      assert.ok(job.json().data.screenshot.data === data)
    })

    await t.test('with response format html the result is the screenshot alone', async () => {
      const screenshot = imageOf('webp')
      const ask = async (encoding: 'base64' | 'binary') => {
        const configurations = screenshotOptions(screenshot, encoding)
        const id = await desk.finishTask(account, { configurations, page: { screenshot, ...both } })
        const headers = { 'x-api-key': account.apiKey }
        const answer = await fetch(`${url}${callbackPath}/${id}/result`, { headers })
        return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
      }

      const [binary, base64] = [await ask('binary'), await ask('base64')]

      assert.equal(binary.headers.get('content-type'), 'image/webp')
      assert.ok(binary.bytes.equals(screenshot.bytes))
      assert.equal(base64.headers.get('content-type'), 'text/plain; charset=utf-8')
      assert.equal(base64.bytes.toString(), Buffer.from(screenshot.bytes).toString('base64'))
      assert.equal(base64.headers.get('x-target-url'), 'http://target.test/end')
    })

    await t.test('a callback and its redelivery have the same screenshot link', async () => {
      const screenshot = imageOf('jpeg')
      const configurations = screenshotOptions(screenshot, 'binary')
      const callbackUrl = `${receiver.url}/linked`
      const page = { screenshot, ...both }
      const id = await desk.finishTask(account, { configurations, callbackUrl, page })
      const first = await posted('/linked')
      await account.call(`POST ${callbackPath}/${id}/redeliver`)
      const second = await posted('/linked', 2)

      const { screenshot: linked, ...others } = first.result
      assert.deepEqual(others, {
        statusCode: 200,
        url: 'http://target.test/end',
        html: '<p>cod</p>',
        ...both,
      })
      const { url: link, ...image } = linked
      assert.deepEqual(image, shown)
      assert.equal((await fetch(link)).status, 200)
      assert.deepEqual(second.result, first.result)
    })

    await t.test('the callback contains the screenshot if base64 was requested', async () => {
      const screenshot = imageOf('jpeg', 2 ** 20)
      const callbackUrl = `${receiver.url}/base64`
      const configurations = screenshotOptions(screenshot, 'base64')
      await desk.finishTask(account, { configurations, callbackUrl, page: { screenshot } })

      const { data } = (await posted('/base64')).result.screenshot

      assert.ok(data === Buffer.from(screenshot.bytes).toString('base64'))
    })

    await t.test(
      'a screenshot that makes the callback larger than 8 MiB becomes a link',
      async () => {
        const screenshot = imageOf('jpeg', 6 * 2 ** 20)
        const callbackUrl = `${receiver.url}/large`
        const configurations = screenshotOptions(screenshot, 'base64')
        const id = await desk.finishTask(account, {
          configurations,
          callbackUrl,
          page: { screenshot },
        })

        const { result } = await posted('/large')

        const resultUrl = `${url}${callbackPath}/${id}/result`
        assert.deepEqual(result, {
          statusCode: 200,
          url: 'http://target.test/end',
          resultUrl,
        })
      },
    )

    await t.test('a webhook event contains the job with its screenshot', async () => {
      const owner = await service.createAccount()
      const hook = { url: `${receiver.url}/hook`, event_type: 'extract_completed' }
      await owner.call('POST /v1/webhooks', hook)
      const screenshot = imageOf('jpeg')
      const configurations = screenshotOptions(screenshot, 'binary')
      const id = await desk.finishTask(owner, { configurations, page: { screenshot } })

      const { job_id, data } = (await posted('/hook')).data

      assert.equal(job_id, id)
      const { url: link, ...image } = data.screenshot
      assert.deepEqual(image, shown)
      assert.equal((await fetch(link)).headers.get('content-type'), 'image/jpeg')
    })

    await t.test('debug contains the console, the time waited and the timings', async () => {
      const page = {
        console: [{ level: 'warning', text: 'größer' }],
        isWaitCutShort: true,
        requests: [
          {
            url: 'http://target.test/a.css',
            type: 'Stylesheet',
            statusCode: null,
            bytes: 0,
            durationMs: 0,
            isBlocked: true,
          },
        ],
      }
      const network = { dnsMs: 1, connectMs: 2, tlsMs: 0, firstByteMs: 3, downloadMs: 4 }
      const timings = { ...network, renderMs: 120.04, waitMs: 500.26, extractMs: 9 }
      const configurations = { js_render: true, response_format: 'json', debug: true }
      const ask = async (given: object) =>
        (await resultOf(await desk.finishTask(account, { configurations, ...given }))).json().debug

      const inABrowser = await ask({ page, timings })
      const withoutOne = await ask({ timings: network })

      const [attempt] = inABrowser.attempts
      assert.equal(attempt.engine, 'browser')
      const { render, wait, extract, queue } = attempt.timings
      assert.deepEqual([render, wait, extract, queue], [120, 500.3, 9, 1])
      assert.deepEqual(inABrowser.console, page.console)
      assert.deepEqual(inABrowser.requests, page.requests)
      assert.equal(inABrowser.waitEndedAtDeadline, true)
      const { timings: shorter } = withoutOne.attempts[0]
      assert.deepEqual([shorter.render, shorter.wait, shorter.extract], [null, null, null])
      assert.deepEqual([withoutOne.console, withoutOne.waitEndedAtDeadline], [[], false])
    })

    await t.test('text of a browser result is UTF-8, whatever the target sent', async () => {
      const headers = { 'content-type': 'text/html; charset=shift_jis', 'content-encoding': 'br' }
      const html = '<meta charset="koi8-r">  <p>größer  € </p>  <!-- a -->'
      const page = { headers, body: Buffer.from(html) }
      const ask = async (configurations: object, changes: object = {}) =>
        resultOf(
          await desk.finishTask(account, {
            configurations: { js_render: true, ...configurations },
            page: { ...page, ...changes },
          }),
        )

      const asHtml = await ask({})
      const asJson = (await ask({ response_format: 'json' })).json()
      const minified = await ask({ HTMLMinifier: { useMinifier: true } })
      const body = Buffer.from('{"größer": 12345678901234567890}')
      const json = await ask({ is_json_response: true }, { body })

      assert.equal(asHtml.text, html)
      assert.equal(asJson.html, html)
      assert.deepEqual(asJson.headers, headers)
      assert.equal(minified.text, '<meta charset="koi8-r"> <p>größer € </p> ')
      assert.equal(json.text, body.toString())
      assert.match(json.headers['content-type'] ?? '', /^application\/json/)
    })
  })
})

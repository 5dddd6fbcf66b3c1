import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basicOf, callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { getStatus, reachingLoopback, realtimePath, scrapeNow } from '../support/scrape-calls.ts'
import { onBothStores, startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'
import { sitePage } from '../support/test-site-routes.ts'

const uuidOfVersion7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const once = { retries: { useRetries: false } }
const asJson = { response_format: 'json' }

onBothStores((kind, start) => {
  test(`${kind}: a realtime scrape`, async (t) => {
    const site = await startTestSite(t)
    const { url, createAccount } = await start(t, { environment: reachingLoopback })
    const account = await createAccount()
    const scrape = (path: string, configurations: Record<string, unknown> = {}) =>
      scrapeNow(account, { url: site.url(path), configurations })

    await t.test('a realtime scrape returns the page, and its URL in a header', async () => {
      const answer = await scrape('/redirect/302?to=/encoded/gzip')
      const id = answer.headers['x-request-id'] ?? ''

      assert.equal(answer.statusCode, 200)
      assert.equal(answer.text, sitePage)
      assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(answer.headers['x-target-status'], '200')
      assert.equal(answer.headers['x-target-url'], site.url('/encoded/gzip'))
      assert.equal(answer.headers['x-engine'], 'http')
      assert.equal(answer.headers['x-attempts'], '1')
      assert.match(id, uuidOfVersion7)
      const { status, url, callbackUrl, delivery } = await getStatus(account, id)
      assert.deepEqual([status, callbackUrl, delivery], ['completed', null, null])
      assert.equal(url, site.url('/redirect/302?to=/encoded/gzip'))
    })

    await t.test('a page in any charset is returned as UTF-8', async () => {
      const answer = await scrape('/charset/shift_jis?in=header')

      assert.equal(answer.text, '日本')
    })

    await t.test('an error status of the target is 200 with the status in a header', async () => {
      for (const status of [404, 410, 500]) {
        const answer = await scrape(`/status/${status}`, once)
        assert.equal(answer.statusCode, 200)
        assert.equal(answer.text, `<p>${status}</p>`)
        assert.equal(answer.headers['x-target-status'], String(status))
        const { headers } = answer
        const task = await getStatus(account, headers['x-request-id'] ?? '')
        assert.deepEqual([task.status, task.error], ['completed', null])
      }
    })

    await t.test('response_format json returns the result object with these keys', async () => {
      const answer = await scrape('/set-cookie?cookie=a%3Db%3B%20Path%3D%2F%3B%20HttpOnly', asJson)
      const { headers, bandwidth, ...rest } = answer.json()

      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
      assert.deepEqual(rest, {
        statusCode: 200,
        url: site.url('/set-cookie?cookie=a%3Db%3B%20Path%3D%2F%3B%20HttpOnly'),
        html: '<p>cookies</p>',
        cookies: [
          {
            name: 'a',
            value: 'b',
            domain: '127.0.0.1',
            path: '/',
            expires: null,
            httpOnly: true,
            secure: false,
            sameSite: null,
          },
        ],
        engine: 'http',
        attempts: 1,
      })
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.equal(headers['set-cookie'], undefined)
      assert.deepEqual(Object.keys(bandwidth).sort(), ['received', 'requests', 'sent'])
      assert.equal(bandwidth.requests, 1)
      assert.ok(Number.isInteger(bandwidth.received) && bandwidth.received > 0)
    })

    await t.test('repeated target headers are joined, with names in lower case', async () => {
      const answer = await scrape('/headers?X-Twice=one&X-Twice=two', asJson)

      assert.equal(answer.json().headers['x-twice'], 'one, two')
    })

    await t.test('debug is returned with response_format json only', async () => {
      const { debug } = (await scrape('/chain/1', { ...asJson, debug: true })).json()
      const html = await scrape('/chain/1', { debug: true })

      assert.equal(html.text, '<p>the end</p>')
      assert.equal(debug.attempts.length, 1)
      const { engine, proxy, outcome, statusCode, timings } = debug.attempts[0]
      assert.deepEqual([engine, proxy, outcome, statusCode], ['http', null, 'page', 200])
      const measured = ['connect', 'dns', 'download', 'firstByte', 'queue', 'tls']
      const { render, wait, extract, ...ofTheWire } = timings
      assert.deepEqual(Object.keys(ofTheWire).sort(), measured)
      assert.deepEqual([render, wait, extract], [null, null, null])
      assert.deepEqual(
        debug.requests.map(({ url, statusCode }: { url: string; statusCode: number }) => [
          url,
          statusCode,
        ]),
        [
          [site.url('/chain/1'), 302],
          [site.url('/chain/0'), 200],
        ],
      )
    })

    await t.test('a JSON page is returned as written, alone or in the result object', async () => {
      const alone = await scrape('/json', { is_json_response: true })
      const inside = await scrape('/json', { is_json_response: true, ...asJson })

      assert.equal(alone.text, '{"fish": ["cod", "größer"], "id": 12345678901234567890}')
      assert.equal(alone.headers['content-type'], 'application/json; charset=utf-8')
      assert.match(
        inside.text,
        /"json":\{"fish": \["cod", "größer"\], "id": 12345678901234567890\}/,
      )
      assert.equal('html' in inside.json(), false)
    })

    await t.test('a page is minified if asked, otherwise returned as it is', async () => {
      const path = '/page/a%20%20%20b%3C!--c--%3E'
      const minified = await scrape(path, { HTMLMinifier: { useMinifier: true } })
      const plain = await scrape(path, { HTMLMinifier: { useMinifier: false } })

      assert.equal(minified.text, '<p>a b</p>')
      assert.equal(plain.text, '<p>a   b<!--c--></p>')
    })

    await t.test(
      "`keep_headers` forwards the caller's own headers, but no credentials",
      async () => {
        const scrapeAs = (configurations: Record<string, unknown>) =>
          callApi(url, `POST ${realtimePath}`, {
            headers: {
              authorization: basicOf(account.username, account.password),
              cookie: 'secret=1',
              'x-forwarded-for': '192.0.2.1',
              'x-custom': 'mine',
            },
            body: { url: site.url('/echo'), configurations },
          })

        const kept = (await scrapeAs({ keep_headers: true, is_json_response: true })).json()
        const dropped = (await scrapeAs({ is_json_response: true })).json()

        assert.equal(kept['x-custom'], 'mine')
        assert.equal(dropped['x-custom'], undefined)
        for (const name of ['authorization', 'cookie', 'x-forwarded-for', 'content-length']) {
          assert.equal(kept[name], undefined, name)
        }
        assert.equal(kept.host, new URL(site.origin).host)
      },
    )

    await t.test('a scrape with wrong credentials gets 401 before the body is read', async () => {
      const answer = await callApi(url, `POST ${realtimePath}`, { body: '{' })

      assertFailure(answer, 'UNAUTHORIZED')
    })
  })
})

const failing: Record<string, [path: string, code: Parameters<typeof assertFailure>[1]]> = {
  'a connection that is reset': ['/reset', 'TARGET_UNREACHABLE'],
  'a target that does not respond': ['/silent', 'TARGET_TIMEOUT'],
  'a body that stalls': ['/stuck', 'TARGET_TIMEOUT'],
  'a body that is cut off': ['/cut', 'BAD_RESPONSE'],
  'a response that is not HTTP': ['/garbage', 'BAD_RESPONSE'],
  'a broken encoding': ['/cut-encoded/gzip', 'BAD_RESPONSE'],
  'three encodings': ['/encoded/gzip,br,gzip', 'BAD_RESPONSE'],
  'endless redirects': ['/loop', 'TOO_MANY_REDIRECTS'],
  'a redirect to a private address': ['/redirect/302?to=http://10.0.0.1/', 'URL_NOT_ALLOWED'],
  'a body of more than 20 MiB': [`/big/${20 * 2 ** 20 + 1}`, 'RESPONSE_TOO_LARGE'],
}

test('a failed realtime scrape', async (t) => {
  const site = await startTestSite(t)
  const { createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()

  for (const [name, [path, code]] of Object.entries(failing)) {
    await t.test(`${code}: ${name}`, async () => {
      const isLate = code === 'TARGET_TIMEOUT'
      const body = {
        url: site.url(path),
        configurations: once,
        ...(isLate && { timeout_ms: 1000 }),
      }

      const answer = await scrapeNow(account, body)

      const { correlation_id } = assertFailure(answer, code)
      const { status, error, attempts } = await getStatus(account, String(correlation_id))
      assert.deepEqual([status, error?.code, attempts], ['failed', code, 1])
    })
  }

  await t.test('a page that is not JSON is BAD_RESPONSE if JSON was requested', async () => {
    const configurations = { ...once, is_json_response: true, ...asJson }

    assertFailure(await scrapeNow(account, { url: site.url('/'), configurations }), 'BAD_RESPONSE')
  })

  await t.test('a realtime scrape that is certain to fail is refused at once', async () => {
    const target = site.url('/never')
    const refusals = {
      URL_NOT_ALLOWED: { url: 'http://169.254.169.254/' },
      NO_PROXY_AVAILABLE: { url: target, configurations: { country_code: 'DE' } },
      BROWSER_UNAVAILABLE: { url: target, configurations: { js_render: true } },
    } as const

    for (const [code, body] of Object.entries(refusals)) {
      assertFailure(await scrapeNow(account, body), code as keyof typeof refusals)
    }
    const faults = faultsIn(await scrapeNow(account, { configurations: { mode: 'x' } }))
    assert.deepEqual(faults, ['body.url missing', 'body.configurations.mode literal_error'])
    assert.equal(site.requests.filter(({ path }) => path === '/never').length, 0)
  })
})

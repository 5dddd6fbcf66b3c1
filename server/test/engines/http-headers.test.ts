import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestSite } from '../support/test-site.ts'
import { echoed, openEngine } from './open-engine.ts'

const devices = {
  desktop: { userAgent: /Windows NT 10.0; Win64.* Safari/, mobile: '?0', platform: '"Windows"' },
  mobile: { userAgent: /Android 10; K.* Mobile Safari/, mobile: '?1', platform: '"Android"' },
  tablet: { userAgent: /Android 10; K.*\.0 Safari/, mobile: '?0', platform: '"Android"' },
} as const

for (const device_type of ['desktop', 'mobile', 'tablet'] as const) {
  test(`all headers of the device type ${device_type} agree with each other`, async (t) => {
    const site = await startTestSite(t)
    const { userAgent, mobile, platform } = devices[device_type]

    const headers = echoed(
      await openEngine(t).fetch(site.url('/echo'), { options: { device_type } }),
    )

    const version = /Chrome\/(\d+)\./.exec(headers['user-agent'] ?? '')?.[1]
    assert.match(headers['user-agent'] ?? '', userAgent)
    assert.match(headers['sec-ch-ua'] ?? '', new RegExp(`"Google Chrome";v="${version}"`))
    assert.equal(headers['sec-ch-ua-mobile'], mobile)
    assert.equal(headers['sec-ch-ua-platform'], platform)
  })
}

test('headers are sent in the order of Chrome', async (t) => {
  const site = await startTestSite(t)

  await openEngine(t).fetch(site.url('/'))

  const names = site.requests[0]?.headerNames.map((name) => name.toLowerCase()) ?? []
  assert.deepEqual(
    names.filter((name) => name !== 'host' && name !== 'connection'),
    [
      'sec-ch-ua',
      'sec-ch-ua-mobile',
      'sec-ch-ua-platform',
      'upgrade-insecure-requests',
      'user-agent',
      'accept',
      'sec-fetch-site',
      'sec-fetch-mode',
      'sec-fetch-user',
      'sec-fetch-dest',
      'accept-encoding',
      'accept-language',
    ],
  )
})

test('a request for JSON has the headers of a page’s fetch', async (t) => {
  const site = await startTestSite(t)
  const options = { is_json_response: true }

  const headers = echoed(await openEngine(t).fetch(site.url('/echo'), { options }))

  assert.match(headers['accept'] ?? '', /^application\/json/)
  assert.equal(headers['sec-fetch-dest'], 'empty')
  assert.equal(headers['upgrade-insecure-requests'], undefined)
})

const forwardedHeaders = {
  'accept-language': 'de',
  'X-Mine': 'yes',
  referer: 'https://example.com/',
  'user-agent': 'my-client/1',
}

test('the caller’s headers are sent only with keep_headers', async (t) => {
  const site = await startTestSite(t)

  const headers = echoed(await openEngine(t).fetch(site.url('/echo'), { forwardedHeaders }))

  assert.equal(headers['x-mine'], undefined)
  assert.equal(headers['accept-language'], 'en-US,en;q=0.9')
})

test('the caller’s headers replace the default ones', async (t) => {
  const site = await startTestSite(t)
  const options = { keep_headers: true }

  const headers = echoed(
    await openEngine(t).fetch(site.url('/echo'), { options, forwardedHeaders }),
  )

  assert.equal(headers['x-mine'], 'yes')
  assert.equal(headers['accept-language'], 'de')
  assert.equal(headers['referer'], 'https://example.com/')
  assert.equal(headers['user-agent'], 'my-client/1')
  assert.equal(headers['sec-ch-ua'], undefined)
  assert.equal(headers['accept-encoding'], 'gzip, deflate, br, zstd')
})

test('hop-by-hop headers, forwarding headers and credentials are not forwarded', async (t) => {
  const site = await startTestSite(t)
  const withheld = [
    ...['Connection', 'Keep-Alive', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Expect'],
    ...['Host', 'Content-Length', 'Content-Type', 'Content-Encoding', 'Accept-Encoding'],
    ...['Authorization', 'X-Api-Key', 'Cookie', 'Proxy-Authorization', 'Proxy-Connection'],
    ...['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Via', 'CF-Connecting-IP'],
    ...['True-Client-IP', 'Idempotency-Key', 'X-Request-Id', 'Sec-WebSocket-Key', 'traceparent'],
    'X-Per-Hop',
  ]
  const canary = 'canary'
  const given = Object.fromEntries(withheld.map((name) => [name, canary]))

  const headers = echoed(
    await openEngine(t).fetch(site.url('/echo'), {
      options: { keep_headers: true },
      forwardedHeaders: { ...given, Connection: 'keep-alive, X-Per-Hop', 'x-kept': 'yes' },
    }),
  )

  assert.equal(headers['x-kept'], 'yes')
  assert.equal(JSON.stringify(headers).includes(canary), false)
})

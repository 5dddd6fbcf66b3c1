import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostFilter, loadingRules, mayLoad, skippedUrls } from './loading-rules.ts'

const origins = new Set(['https://shop.test', 'http://127.0.0.1:8080', 'http://[::1]:8081'])
const rulesOf = (given: { block?: boolean; sameOrigin?: boolean; skip?: string[] }) =>
  loadingRules({
    block_resources: given.block ?? false,
    optimizations: {
      loadOnlySameOriginRequests: given.sameOrigin ?? false,
      skipDomains: given.skip ?? [],
    },
  })

const unrestricted = rulesOf({})
const heavyBlocked = rulesOf({ block: true })
const sameOrigin = rulesOf({ sameOrigin: true })
const skipping = rulesOf({ skip: ['ads', 'track.'] })

for (const [name, rules, url, type, expected] of [
  ['anything by default', unrestricted, 'https://else.test/a.png', 'Image', true],
  ['no image', heavyBlocked, 'https://shop.test/a.png', 'Image', false],
  ['no style sheet', heavyBlocked, 'https://shop.test/a.css', 'Stylesheet', false],
  ['no font', heavyBlocked, 'https://shop.test/a.woff2', 'Font', false],
  ['no media', heavyBlocked, 'https://shop.test/a.mp4', 'Media', false],
  ['a script', heavyBlocked, 'https://shop.test/a.js', 'Script', true],
  ['a script of its own origin', sameOrigin, 'https://shop.test/a.js', 'Script', true],
  ['a socket to its own origin', sameOrigin, 'wss://shop.test/live', 'WebSocket', true],
  ['no script with another scheme', sameOrigin, 'http://shop.test/a.js', 'Script', false],
  ['no script of another port', sameOrigin, 'https://shop.test:444/a.js', 'Script', false],
  ['no script of a subdomain', sameOrigin, 'https://cdn.shop.test/a.js', 'Script', false],
  ['a data: URL', sameOrigin, 'data:text/plain,a', 'Fetch', true],
  ['a blob: URL', sameOrigin, 'blob:https://shop.test/1', 'Fetch', true],
  ['nothing of a skipped domain', skipping, 'https://my.ads.test/a.js', 'Script', false],
  ['no host with a skipped part', skipping, 'https://atrack.test/a.js', 'Script', false],
  ['no socket of a skipped domain', skipping, 'wss://my.ads.test/live', 'WebSocket', false],
  [
    'a socket to its own origin although its domain is skipped',
    rulesOf({ skip: ['shop'] }),
    'wss://shop.test/',
    'WebSocket',
    true,
  ],
  ['no skipped own script', rulesOf({ skip: ['shop'] }), 'https://shop.test/a.js', 'Script', false],
  ['a skipped domain in the path', skipping, 'https://shop.test/ads.js', 'Script', true],
] as const) {
  test(`a page may load: ${name}`, () => {
    assert.equal(mayLoad(rules, { url, type }, origins), expected)
  })
}

for (const [name, rules, host, port, expected] of [
  ['any host by default', unrestricted, 'else.test', 443, true],
  ['the origin', sameOrigin, 'shop.test', 443, true],
  ['an origin with a port', sameOrigin, '127.0.0.1', 8080, true],
  ['an IPv6 origin', sameOrigin, '[::1]', 8081, true],
  ['no other port of it', sameOrigin, 'shop.test', 80, false],
  ['no other host', sameOrigin, 'else.test', 443, false],
  ['no skipped domain', skipping, 'my.ads.test', 443, false],
  [
    'a document although its domain is skipped',
    rulesOf({ skip: ['shop'] }),
    'shop.test',
    443,
    true,
  ],
] as const) {
  test(`a page may connect to: ${name}`, () => {
    assert.equal(hostFilter(rules, origins)(host, port), expected)
  })
}

test('the URL patterns of skipped domains escape wildcards', () => {
  assert.deepEqual(skippedUrls(rulesOf({ skip: ['ads.', 'a*?\\'] })), [
    'http*://*ads.*',
    'http*://*a\\*\\?\\\\*',
  ])
})

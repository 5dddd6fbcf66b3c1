import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ambiguousNames } from '../../../test/support/forbidden-addresses.ts'
import type { EgressRules, Purpose } from './address-policy.ts'
import { createEgressGuard } from './egress-guard.ts'

const strict: EgressRules = {
  allow: [],
  mayCallBackToLoopback: false,
  ownAddresses: () => new Set(['93.184.216.34']),
}

function isAllowed(url: string, purpose: Purpose = 'target', rules = strict): boolean {
  try {
    createEgressGuard(rules).requireAllowedUrl(url, purpose)
    return true
  } catch (error) {
    assert.equal((error as { code: string }).code, 'URL_NOT_ALLOWED')
    return false
  }
}

const refused = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://[2002:7f00:1::]/',
  'http://[4000::1]/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://93.184.216.34/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://foo.localhost/',
  'http://printer/',
  'http://printer.local/',
  'http://metadata.google.internal/',
  'http://metadata.goog/',
  'http://instance-data/',
  'http://metadata.platformequinix.com/metadata',
  'http://host.docker.internal/',
  'http://example.com:25/',
  'http://example.com:6667/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'not a url',
  '',
]

for (const url of refused) {
  test(`${url || 'an empty URL'} is refused for targets and callbacks`, () => {
    assert.equal(isAllowed(url, 'target'), false)
    assert.equal(isAllowed(url, 'callback'), false)
  })
}

test('a forbidden or ambiguous host is refused in spellings that no URL parser has normalised', () => {
  const guard = createEgressGuard(strict)
  const hosts = [
    '',
    '.',
    'localhost..',
    'FOO.LocalHost',
    'Metadata.Google.INTERNAL.',
    '127.0.0.1.',
    '127.0.0.1..',
    '127.1',
    '0x7f.1',
    '0x7f.0x1',
    '0X7F.0X1.',
    '0177.0.0.01',
    '2130706433',
    'foo.1',
    'foo.0x',
    '::1',
    '[::ffff:127.0.0.1]',
    '[::FFFF:7f00:1]',
    'fe80::1%eth0',
    '[fe80::1%25eth0]',
    '%31%32%37.0.0.1',
    'www%2eexample.com',
    'www.example.com\u0000',
    'www.example.com\r\n',
    '127.0.0.1 .example.com',
    '127.0.0.1\t.example.com',
    '127.0.0.1/.example.com',
    '127.0.0.1#.example.com',
    'me@www.example.com',
    'www.example.com:80',
    'www.exämple.com',
    'www。example.com',
    ...ambiguousNames,
  ]

  for (const host of hosts) assert.ok(guard.refusalOfHost(host, 80, 'target'), host)
})

test('public names and addresses are allowed', () => {
  const urls = [
    'https://example.com/',
    'http://example.com:8080/x',
    'http://8.8.8.8/',
    'http://[2606:4700::1]/',
    'https://EXAMPLE.com./',
    'https://_under-scored_.example.com/',
    'https://bücher.example/',
    'https://127.0.0.1.example.com/',
    'https://1e3.x1',
    `https://${'a'.repeat(63)}.example.com/`,
  ]
  for (const url of urls) assert.ok(isAllowed(url), url)
  assert.equal(createEgressGuard(strict).refusalOfHost('Example.COM.', 443, 'target'), undefined)
})

test('a target URL may have a user and password, a callback URL may not', () => {
  assert.equal(isAllowed('http://u:p@example.com/', 'target'), true)
  assert.equal(isAllowed('http://u:p@example.com/', 'callback'), false)
})

test('the operator’s list allows addresses for one purpose or for both', () => {
  const rules = {
    ...strict,
    allow: [
      { purpose: undefined, block: '10.0.0.0/8' },
      { purpose: 'callback' as const, block: '127.0.0.1' },
    ],
  }

  assert.ok(isAllowed('http://10.1.2.3/', 'target', rules))
  assert.ok(isAllowed('http://10.1.2.3/', 'callback', rules))
  assert.ok(isAllowed('http://127.0.0.1:9000/', 'callback', rules))
  assert.ok(isAllowed('http://localhost:9000/', 'callback', rules))
  assert.ok(!isAllowed('http://127.0.0.1/', 'target', rules))
})

test('no list allows the metadata addresses of clouds', () => {
  const rules = {
    ...strict,
    allow: [
      { purpose: undefined, block: '0.0.0.0/0' },
      { purpose: undefined, block: '::/0' },
    ],
  }

  assert.ok(isAllowed('http://192.168.1.1/', 'target', rules))
  assert.ok(!isAllowed('http://169.254.169.254/', 'target', rules))
  assert.ok(!isAllowed('http://[fd00:ec2::254]/', 'target', rules))
})

test('with loopback callbacks on, callbacks may reach this machine and targets may not', () => {
  const rules = { ...strict, mayCallBackToLoopback: true }

  for (const host of ['127.0.0.1', '127.8.8.8', 'localhost', '[::1]']) {
    assert.ok(isAllowed(`http://${host}:9000/`, 'callback', rules), host)
    assert.ok(!isAllowed(`http://${host}:9000/`, 'target', rules), host)
  }
})

test('no list allows a port that the service listens on, by any name or spelling', async () => {
  const blocked: string[] = []
  const isOwn = (_address: string, port: number) => port === 8080 || port === 443
  const guard = createEgressGuard(
    {
      ...strict,
      allow: [
        { purpose: undefined, block: '0.0.0.0/0' },
        { purpose: undefined, block: '::/0' },
      ],
      ownListeners: { isOwn, refreshFor: () => undefined },
    },
    (_purpose, reason) => blocked.push(reason),
  )
  const urls = [
    'http://127.0.0.1:8080/',
    'http://localhost:8080/',
    'http://[::ffff:127.0.0.1]:8080/',
    'https://127.0.0.1/',
  ]

  for (const url of urls) {
    assert.throws(() => guard.requireAllowedUrl(url, 'target'), { code: 'URL_NOT_ALLOWED' }, url)
    assert.ok(guard.refusalOfUrl(new URL(url), 'callback'), url)
  }
  // A name passes: its addresses are checked together with the port.
  assert.equal(guard.refusalOfHost('example.com', 8080, 'target'), undefined)
  assert.deepEqual(guard.keepAllowed(['127.0.0.1'], 8080, 'target'), [])
  assert.equal(await guard.areAllowedNow(['127.0.0.1'], 8080, 'target'), false)
  assert.equal(guard.refusalOfUrl(new URL('http://127.0.0.1:8081/'), 'target'), undefined)
  assert.deepEqual(new Set(blocked), new Set(['own_listener']))
})

for (const [url, purpose, message] of [
  ['http://example.com:25/', 'target', /never reaches that port/],
  // No address is told apart from another by it.
  ['http://10.0.0.1:6667/', 'callback', /never reaches that port/],
  ['ftp://10.0.0.1/', 'target', /http and https URLs only/],
  ['http://u:p@example.com/', 'callback', /may not have a user name or password/],
  ['not a url', 'target', /not a URL/],
  [`http://example.com/${'x'.repeat(9000)}`, 'target', /more than 8192 characters/],
] as const) {
  test(`no setting is advised that would not open ${url.slice(0, 30)} as a ${purpose}`, () => {
    const refuse = () => createEgressGuard(strict).requireAllowedUrl(url, purpose)

    assert.throws(refuse, (error: Error) => {
      assert.match(error.message, message)
      assert.doesNotMatch(error.message, /TRAWL_EGRESS_ALLOW/)
      return true
    })
  })
}

test('each refusal is counted by its reason', () => {
  const counted: string[] = []
  const guard = createEgressGuard(strict, (purpose, reason) => counted.push(`${purpose} ${reason}`))

  for (const url of [
    'ftp://example.com/',
    `http://example.com/${'x'.repeat(9000)}`,
    'http://u:p@example.com/',
    'http://example.com:25/',
    'http://printer/',
    'http://10.0.0.1/',
    'https://example.com/',
  ]) {
    guard.refusalOfUrl(new URL(url), 'callback')
  }
  guard.refusalOfHost('example.com', 6667, 'target')
  const kept = guard.keepAllowed(['8.8.8.8', '127.0.0.1', '::1', '2606:4700::1'], 80, 'target')

  assert.deepEqual(kept, ['8.8.8.8', '2606:4700::1'])
  assert.deepEqual(counted, [
    'callback scheme',
    'callback too_long',
    'callback credentials',
    'callback port',
    'callback name',
    'callback address',
    'target port',
    'target resolved_address',
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProxyList } from './read-proxy-list.ts'

const good = { url: 'http://ada:canary@proxy.test:3128', type: 'datacenter', country: 'DE' }

function proxiesOf(...entries: unknown[]) {
  const read = readProxyList(JSON.stringify(entries))
  assert.ok('proxies' in read, JSON.stringify(read))
  return read.proxies
}

function problemOf(text: string): string {
  const read = readProxyList(text)
  assert.ok('problem' in read, 'It has no problem.')
  return read.problem
}

test('an entry gives the address, the type, the country and the user of a proxy', () => {
  assert.deepEqual(proxiesOf({ ...good, label: 'first' }), [
    {
      label: 'first',
      type: 'datacenter',
      country: 'DE',
      protocol: 'http',
      host: 'proxy.test',
      port: 3128,
      user: { name: 'ada', password: 'canary' },
    },
  ])
})

const places: [url: string, protocol: string, host: string, port: number][] = [
  ['http://proxy.test', 'http', 'proxy.test', 80],
  ['http://proxy.test:80/', 'http', 'proxy.test', 80],
  ['HTTPS://Proxy.Test', 'https', 'proxy.test', 443],
  ['https://proxy.test:8443', 'https', 'proxy.test', 8443],
  ['socks5://Proxy.Test', 'socks5', 'proxy.test', 1080],
  ['socks5h://proxy.test:80', 'socks5', 'proxy.test', 80],
  ['socks5://192.0.2.1:1081', 'socks5', '192.0.2.1', 1081],
  ['socks5://[2001:DB8::1]:1081', 'socks5', '2001:db8::1', 1081],
  ['http://[2001:db8::1]:3128', 'http', '2001:db8::1', 3128],
  ['socks5://bücher.test', 'socks5', 'xn--bcher-kva.test', 1080],
]

for (const [url, protocol, host, port] of places) {
  test(`the URL ${url} is read as ${protocol} at ${host}, port ${port}`, () => {
    const [proxy] = proxiesOf({ ...good, url })

    assert.deepEqual([proxy?.protocol, proxy?.host, proxy?.port], [protocol, host, port])
  })
}

const users: [userinfo: string, name: string, password: string][] = [
  ['ada', 'ada', ''],
  ['a%40b:p%3A%2F%25%C3%A4', 'a@b', 'p:/%ä'],
  ['a:b@c:d', 'a', 'b@c:d'],
  ['u-country-{country}-session-{session}:p', 'u-country-{country}-session-{session}', 'p'],
]

for (const [userinfo, name, password] of users) {
  test(`the userinfo ${userinfo} is read as the user ${name}`, () => {
    for (const scheme of ['http', 'socks5']) {
      const [proxy] = proxiesOf({ ...good, url: `${scheme}://${userinfo}@proxy.test:1` })

      assert.deepEqual(proxy?.user, { name, password })
    }
  })
}

test('a proxy URL without a user gives a proxy without one', () => {
  assert.equal(proxiesOf({ ...good, url: 'http://proxy.test' })[0]?.user, undefined)
})

test('the country of a proxy may be in either case or left out', () => {
  const countries = ['us', 'US', undefined].map((country, index) => ({
    ...good,
    country,
    label: `p${index}`,
  }))

  assert.deepEqual(
    proxiesOf(...countries).map(({ country }) => country),
    ['US', 'US', null],
  )
})

const at = (url: string, given: object = {}) => ({ url, type: 'residential', ...given })
const labelsOf = (...entries: unknown[]) => proxiesOf(...entries).map(({ label }) => label)

test('a proxy without a label gets one from its type, country and address', () => {
  const labels = labelsOf(
    at('http://gateway.test:8000', { country: 'us' }),
    at('http://gateway.test:8001', { country: 'us' }),
    at('https://gateway.test:8000'),
    at('http://gateway.test:8000', { type: 'datacenter', country: 'US' }),
  )

  assert.deepEqual(labels, [
    'residential-us-6dc2cdb2',
    'residential-us-a21a4b36',
    'residential-any-61f24267',
    'datacenter-us-6dc2cdb2',
  ])
})

test('a derived label does not depend on the other entries of the list', () => {
  const entries = Array.from({ length: 100 }, (_, index) => at(`http://192.0.2.${index}:3128`))
  const labels = labelsOf(...entries)

  assert.deepEqual(labelsOf(...entries.slice(40)), labels.slice(40))
  assert.deepEqual(labelsOf(...entries.toReversed()).toReversed(), labels)
  assert.equal(new Set(labels).size, 100)
})

test('a derived label shows neither address nor user, and proxies at one address are numbered', () => {
  const [first, ...others] = labelsOf(
    at('socks5://ada:canary@gateway.test:1080'),
    at('socks5://bob-{session}:canary@gateway.test'),
    at('socks5h://gateway.test:1080'),
  )

  assert.match(first ?? '', /^residential-any-[0-9a-f]{8}$/)
  assert.deepEqual(others, [`${first}-2`, `${first}-3`])
})

test('an empty list is accepted', () => {
  assert.deepEqual(proxiesOf(), [])
})

const badUrl = 'url must be http://, https:// or socks5://, user:password@ if any, host:port'
const atFault: [what: string, entry: object | string, problem: string][] = [
  ['another scheme', { url: 'ftp://ada:canary@h:1' }, badUrl],
  ['no URL', { url: 'canary' }, badUrl],
  ['no host', { url: 'socks5:canary' }, badUrl],
  ['a port too high', { url: 'http://ada:canary@h:65536' }, badUrl],
  ['a host with a placeholder', { url: 'http://ada:canary@{country}.test:1' }, badUrl],
  ['a very long URL', { url: `http://canary@h/${'x'.repeat(3_000)}` }, badUrl],
  ['port 0', { url: 'http://ada:canary@h:0' }, 'url must have a port from 1 to 65535'],
  [
    'a path',
    { url: 'http://h:1/canary' },
    'url must end after the port; a / ? or # before it has to be percent-encoded',
  ],
  [
    'a password with a slash',
    { url: 'http://ada:1/canary@h:1' },
    'url must end after the port; a / ? or # before it has to be percent-encoded',
  ],
  [
    'a lone percent sign',
    { url: 'http://ada:canary%zz@h:1' },
    'url has a user or password that is not percent-encoded as UTF-8',
  ],
  [
    'a password alone',
    { url: 'http://:canary@h:1' },
    'url has a user or password that has no name',
  ],
  [
    'a line break',
    { url: 'http://ada:canary%0d%0a@h:1' },
    'url has a user or password that has a control character',
  ],
  [
    'a colon in a name of HTTP Basic',
    { url: 'http://ada%3Acanary:p@h:1' },
    'url has a user or password that has a colon in its name',
  ],
  [
    'a mistyped placeholder',
    { url: 'http://ada-{contry}:canary@h:1' },
    'url has a user or password that has {…} other than {country} and {session}',
  ],
  [
    'a placeholder in the password',
    { url: 'http://ada:canary-{session}@h:1' },
    'url has a user or password that has a {…} that is filled in the name only',
  ],
  [
    'a long password',
    { url: `http://ada:${'canary'.repeat(50)}@h:1` },
    'url has a user or password that is longer than 255 bytes',
  ],
  [
    'a name that is too long once it is filled in',
    { url: `http://${'x'.repeat(244)}{session}:canary@h:1` },
    'url has a user or password that is longer than 255 bytes',
  ],
  ['a number for a URL', { url: 1 }, 'url must be a text'],
  ['another type', { type: 'canary' }, 'type must be residential or datacenter'],
  ['another country', { country: 'canary' }, 'country must be two letters, as ISO 3166-1 has them'],
  ['a number for a country', { country: 49 }, 'country must be two letters, or left out'],
  [
    'a label with a space',
    { label: 'canary label' },
    'label must be 1 to 64 letters, digits or any of _ . : -',
  ],
  [
    'a long label',
    { label: 'canary'.repeat(11) },
    'label must be 1 to 64 letters, digits or any of _ . : -',
  ],
]

for (const [what, entry, problem] of atFault) {
  test(`a proxy with ${what} is reported without quoting it: ${problem}`, () => {
    const list = JSON.stringify([
      { ...good, label: 'good' },
      { ...good, ...(entry as object) },
    ])

    assert.equal(problemOf(list), `entry 2: ${problem}`)
  })
}

test('a SOCKS5 user name may contain a colon', () => {
  const [proxy] = proxiesOf({ ...good, url: 'socks5://ada%3Ab:p@h:1' })

  assert.equal(proxy?.user?.name, 'ada:b')
})

test('a malformed entry and an unknown field are reported with the number of the entry', () => {
  assert.equal(
    problemOf(JSON.stringify(['http://ada:canary@h:1'])),
    'entry 1 must be an object of url, type, country, label',
  )
  assert.equal(
    problemOf(JSON.stringify([{ ...good, password: 'canary' }])),
    'entry 1 has a field that is none of url, type, country, label',
  )
})

test('two entries with the same label, given or derived, are reported', () => {
  const labelled = { ...good, label: 'datacenter-de-2a4bbd6f' }

  assert.equal(
    problemOf(JSON.stringify([labelled, good, { ...good, label: 'datacenter-de-2a4bbd6f' }])),
    'entry 2: label is already that of entry 1; entry 3: label is already that of entry 1',
  )
})

test('only the first problems are reported, with the number of the others', () => {
  const problem = problemOf(
    JSON.stringify(Array.from({ length: 12 }, () => ({ ...good, type: 1 }))),
  )

  assert.match(problem, /^entry 1: type .*; entry 5: type must be [a-z ]+; and 7 more$/)
})

test('a list that is not JSON is reported with the position of the error', () => {
  assert.equal(
    problemOf('[\n{"url": "http://ada:canary@h:1",\n}]'),
    'must be JSON: see line 3, column 1',
  )
  assert.equal(problemOf(''), 'must be JSON')
  assert.equal(problemOf('canary'), 'must be JSON: see line 1, column 1')
  assert.equal(problemOf('{"url":"canary"}'), 'must be a JSON list')
})

test('a list may have at most 10,000 entries', () => {
  const many = Array.from({ length: 10_001 }, () => good)

  assert.equal(proxiesOf(...many.slice(1)).length, 10_000)
  assert.equal(problemOf(JSON.stringify(many)), 'must have 10000 entries at most')
})

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../../../test/support/run-at-once.ts'
import { parseRobots, robotsBytesMax } from './parse-robots.ts'
import { isAllowedByRobots, type RobotsRules } from './robots-rules.ts'
import { type RobotsResponse, robotsVerdict } from './robots-verdict.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const rulesOf = (...lines: string[]): RobotsRules =>
  runAtOnce(parseRobots(bytesOf(lines.join('\n'))))
const isAllowed = (rules: RobotsRules, path: string): boolean =>
  isAllowedByRobots(rules, `https://shop.test${path}`)

const files: [name: string, lines: string[], allowed: string[], forbidden: string[]][] = [
  ['an empty file allows everything', [''], ['/', '/x'], []],
  ['an empty disallow forbids nothing', ['user-agent: *', 'disallow:'], ['/', '/x'], []],
  [
    'a rule is the beginning of a path',
    ['user-agent: *', 'disallow: /a'],
    ['/', '/b', '/A'],
    ['/a', '/ab', '/a/b?c'],
  ],
  [
    'our group is used instead of the one for all',
    ['user-agent: *', 'disallow: /', 'user-agent: trawl', 'disallow: /a'],
    ['/', '/b'],
    ['/a'],
  ],
  [
    'our group may come first',
    ['user-agent: Trawl', 'disallow: /a', 'user-agent: *', 'disallow: /'],
    ['/b'],
    ['/a'],
  ],
  [
    'our group without rules allows everything',
    ['user-agent: *', 'disallow: /', 'user-agent: TRAWL'],
    ['/'],
    [],
  ],
  [
    'a version after our name does not matter',
    ['user-agent: trawl/1.0', 'disallow: /a'],
    ['/b'],
    ['/a'],
  ],
  ['a longer name is another robot', ['user-agent: trawler', 'disallow: /'], ['/'], []],
  ['groups of other robots do not concern us', ['user-agent: other', 'disallow: /'], ['/'], []],
  [
    'groups of one name are merged',
    [
      'user-agent: trawl',
      'disallow: /a',
      'user-agent: other',
      'disallow: /b',
      'user-agent: trawl',
      'disallow: /c',
    ],
    ['/b'],
    ['/a', '/c'],
  ],
  [
    'several names share a group',
    ['user-agent: other', 'user-agent: trawl', 'disallow: /a'],
    ['/b'],
    ['/a'],
  ],
  [
    'a sitemap does not end a group',
    ['user-agent: trawl', 'sitemap: /s', 'user-agent: other', 'disallow: /a'],
    ['/b'],
    ['/a'],
  ],
  [
    'an unknown line does not end a group',
    ['user-agent: trawl', 'unknown: x', 'disallow: /a', 'no colon', 'disallow: /b'],
    ['/c'],
    ['/a', '/b'],
  ],
  ['an empty line does not end a group', ['user-agent: trawl', '', 'disallow: /a'], ['/b'], ['/a']],
  [
    'a crawl-delay belongs to its group alone',
    ['user-agent: *', 'crawl-delay: 5', '', 'user-agent: other', 'disallow: /'],
    ['/'],
    [],
  ],
  [
    'rules before any name do not count',
    ['disallow: /', 'user-agent: *', 'disallow: /a'],
    ['/b'],
    ['/a'],
  ],
  [
    'keys may be written in any case and with space',
    ['  USER-AGENT : *  ', '\tDisAllow\t:\t/a  '],
    ['/b'],
    ['/a'],
  ],
  ['comments are ignored', ['# x', 'user-agent: * # all', 'disallow: /a#b'], ['/b'], ['/a']],
  [
    'a rule that begins with neither slash nor star matches nothing',
    ['user-agent: *', 'disallow: a'],
    ['/a'],
    [],
  ],
  [
    'the longest match wins',
    ['user-agent: *', 'allow: /example/page/', 'disallow: /example/page/disallowed.gif'],
    ['/example/page/x'],
    ['/example/page/disallowed.gif'],
  ],
  [
    'the order of rules does not matter',
    ['user-agent: *', 'disallow: /', 'allow: /a', 'disallow: /a/b'],
    ['/a', '/a/c'],
    ['/', '/a/b'],
  ],
  [
    'of rules that are equally long allow wins',
    ['user-agent: *', 'disallow: /a', 'allow: /a'],
    ['/a'],
    [],
  ],
  [
    'a star is any run of characters',
    ['user-agent: *', 'disallow: /a*c'],
    ['/ab', '/xac'],
    ['/ac', '/abc', '/a/b/c/d'],
  ],
  [
    'a star may come first',
    ['user-agent: *', 'disallow: *.gif$'],
    ['/a.gif?x', '/agif'],
    ['/a.gif', '/b/c.gif'],
  ],
  [
    'a dollar sign is the end of the path',
    ['user-agent: *', 'disallow: /a$'],
    ['/ab', '/a/', '/a?b'],
    ['/a'],
  ],
  ['a dollar sign in the middle is itself', ['user-agent: *', 'disallow: /a$b'], ['/a'], ['/a$bc']],
  [
    'rules see the query',
    ['user-agent: *', 'disallow: /*?session='],
    ['/a', '/a?b=1'],
    ['/a?session=1'],
  ],
  [
    'robots.txt itself is always allowed',
    ['user-agent: *', 'disallow: /'],
    ['/robots.txt'],
    ['/robots.txt/x', '/'],
  ],
  [
    'RFC 9309: a query',
    ['user-agent: *', 'disallow: /foo/bar?baz=quz'],
    ['/foo/bar'],
    ['/foo/bar?baz=quz'],
  ],
  [
    'RFC 9309: a URL in a query, unescaped in the rule',
    ['user-agent: *', 'disallow: /foo/bar?baz=https://foo.bar'],
    [],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar'],
  ],
  [
    'RFC 9309: a URL in a query, escaped in the rule',
    ['user-agent: *', 'disallow: /foo/bar?baz=https%3a%2f%2Ffoo.bar'],
    [],
    ['/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/foo/bar?baz=https://foo.bar'],
  ],
  [
    'RFC 9309: characters outside ASCII',
    ['user-agent: *', 'disallow: /foo/bar/ツ'],
    ['/foo/bar/'],
    ['/foo/bar/ツ', '/foo/bar/%E3%83%84', '/foo/bar/%e3%83%84'],
  ],
  [
    'RFC 9309: escaped characters outside ASCII',
    ['user-agent: *', 'disallow: /foo/bar/%E3%83%84'],
    [],
    ['/foo/bar/ツ', '/foo/bar/%e3%83%84'],
  ],
  [
    'RFC 9309: escaped unreserved characters',
    ['user-agent: *', 'disallow: /foo/bar/%62%61%7A'],
    [],
    ['/foo/bar/baz', '/foo/bar/%62az'],
  ],
  [
    'an escaped slash of a path is not a slash',
    ['user-agent: *', 'disallow: /a%2Fb'],
    ['/a/b'],
    ['/a%2fb'],
  ],
  [
    'RFC 9309: an escaped dollar sign and star are themselves',
    ['user-agent: *', 'disallow: /a%24', 'disallow: /b%2Ac'],
    ['/a', '/bxc'],
    ['/a%24', '/b%2Ac'],
  ],
]

for (const [name, lines, allowed, forbidden] of files) {
  test(name, () => {
    const rules = rulesOf(...lines)

    for (const path of allowed) assert.equal(isAllowed(rules, path), true, `${path} is allowed`)
    for (const path of forbidden)
      assert.equal(isAllowed(rules, path), false, `${path} is forbidden`)
  })
}

test('the simple example of RFC 9309 is read as it says', () => {
  const lines = [
    'User-Agent: *',
    'Disallow: *.gif$',
    'Disallow: /example/',
    'Allow: /publications/',
    '',
    'User-Agent: foobot',
    'Disallow:/',
    'Allow:/example/page.html',
    'Allow:/example/allowed.gif',
  ]
  const all = rulesOf(...lines)
  const foobot = rulesOf(...lines.map((line) => line.replace('foobot', 'trawl')))

  assert.deepEqual(
    ['/x.gif', '/example/page.html', '/publications/', '/publications/x.gif', '/y'].map((path) =>
      isAllowed(all, path),
    ),
    [false, false, true, true, true],
  )
  assert.deepEqual(
    ['/example/page.html', '/example/allowed.gif', '/y'].map((path) => isAllowed(foobot, path)),
    [true, true, false],
  )
})

test('a byte order mark and every kind of line end are understood', () => {
  for (const lineEnd of ['\n', '\r', '\r\n']) {
    const text = ['\ufeffuser-agent: *', 'disallow: /a', 'allow: /a/b', ''].join(lineEnd)
    const rules = runAtOnce(parseRobots(bytesOf(text)))

    assert.equal(isAllowed(rules, '/a'), false)
    assert.equal(isAllowed(rules, '/a/b'), true)
  }
})

test('sitemaps belong to no group, and are listed in their order', () => {
  const { sitemaps } = rulesOf(
    'sitemap: https://shop.test/a.xml',
    'user-agent: other',
    'disallow: /',
    'SiteMap:/b.xml # second',
    'sitemap:',
  )

  assert.deepEqual(sitemaps, ['https://shop.test/a.xml', '/b.xml'])
})

const delays: [value: string, ms: number][] = [
  ['5', 5_000],
  ['0.5', 500],
  ['.25', 250],
  ['1.0001', 1_001],
  ['31', 30_000],
  ['999999999', 30_000],
  ['-1', 0],
  ['1e3', 0],
  ['soon', 0],
  ['', 0],
]

for (const [value, ms] of delays) {
  test(`a crawl-delay of "${value}" is ${ms} ms`, () => {
    assert.equal(rulesOf('user-agent: *', `crawl-delay: ${value}`).crawlDelayMs, ms)
  })
}

test('the crawl-delay of our group is used, and that of all where we have none', () => {
  const lines = ['user-agent: *', 'crawl-delay: 2', 'user-agent: other', 'crawl-delay: 9']

  assert.equal(rulesOf(...lines).crawlDelayMs, 2_000)
  assert.equal(rulesOf(...lines, 'user-agent: trawl', 'disallow: /x').crawlDelayMs, 0)
})

test('what lies behind the limit is ignored, and so is the line that it cuts', () => {
  const head = `user-agent: *\ndisallow: /a\n`
  const filler = `#${'x'.repeat(robotsBytesMax - head.length - 'disallow: /'.length - 2)}\n`
  const rules = runAtOnce(
    parseRobots(bytesOf(`${head}${filler}disallow: /private\ndisallow: /b\n`)),
  )

  assert.equal(isAllowed(rules, '/a'), false)
  assert.equal(isAllowed(rules, '/b'), true)
  assert.equal(isAllowed(rules, '/private'), true)
})

const responses: [name: string, response: RobotsResponse, expected: boolean | 'unknown'][] = [
  [
    'a robots.txt that is there decides by its rules',
    { status: 200, body: bytesOf('user-agent: *\ndisallow: /x') },
    false,
  ],
  ['an empty response allows everything', { status: 204, body: bytesOf('') }, true],
  [
    'a page of HTML instead of robots.txt allows everything',
    { status: 200, body: bytesOf('<html><a href="x: y">disallow: /</a>') },
    true,
  ],
  ['404 allows everything', { status: 404, body: bytesOf('user-agent: *\ndisallow: /') }, true],
  ['401 and 403 allow everything', { status: 403, body: bytesOf('') }, true],
  ['429 allows everything', { status: 429, body: bytesOf('') }, true],
  ['a redirect that leads nowhere allows everything', { status: 302, body: bytesOf('') }, true],
  ['500 forbids everything', { status: 500, body: bytesOf('user-agent: *\nallow: /') }, false],
  ['503 forbids everything', { status: 503, body: bytesOf('') }, false],
  ['no response leaves the decision to the caller', { status: 'unreachable' }, 'unknown'],
]

for (const [name, response, expected] of responses) {
  test(name, () => {
    const verdict = runAtOnce(robotsVerdict(response))

    assert.equal(verdict === 'unknown' ? verdict : isAllowed(verdict, '/x'), expected)
  })
}

test('the rules can be stored as JSON', () => {
  const rules = rulesOf('user-agent: *', 'disallow: /a*b$', 'crawl-delay: 1', 'sitemap: /s')

  assert.deepEqual(JSON.parse(JSON.stringify(rules)), rules)
})

test('the longest matching rule decides, and allow where two are equally long', () => {
  const pattern = fc
    .string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 5 })
    .map((text) => `/${text.replaceAll(/\*+/g, '*')}`)
  const rule = fc.record({
    key: fc.constantFrom('allow', 'disallow'),
    pattern,
    end: fc.constantFrom('', '$'),
  })
  const path = fc
    .string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 })
    .map((text) => `/${text}`)
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), path, (written, at) => {
      const rules = rulesOf(
        'user-agent: *',
        ...written.map((one) => `${one.key}: ${one.pattern}${one.end}`),
      )
      const matching = written.filter((one) =>
        new RegExp(`^${one.pattern.replaceAll('*', '.*')}${one.end}`).test(at),
      )
      const lengths = matching.map((one) => one.pattern.length + one.end.length)
      const longest = matching.filter((_, index) => lengths[index] === Math.max(...lengths))

      assert.equal(
        isAllowed(rules, at),
        longest.length === 0 || longest.some((one) => one.key === 'allow'),
      )
    }),
    { numRuns: 2_000 },
  )
})

test('hostile files are read and matched without backtracking', () => {
  const path = `/${'a'.repeat(8_000)}`
  const hostile = [
    `disallow: /${'*a'.repeat(500_000)}b`,
    `disallow: ${'*'.repeat(10_000_000)}b`,
    `${'disallow: /*'.repeat(10)}${'a*'.repeat(200_000)}`,
    'user-agent: *\n'.repeat(40_000),
    'sitemap: /x\n'.repeat(40_000),
    `disallow: ${' '.repeat(400_000)}x`,
    `${' '.repeat(400_000)}x`,
    '\r'.repeat(500_000),
    '%'.repeat(500_000),
    `crawl-delay: ${'1'.repeat(400_000)}x`,
  ]

  for (const text of hostile) assert.equal(isAllowed(rulesOf('user-agent: *', text), path), true)
})

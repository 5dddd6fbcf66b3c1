import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { CrawlScope, type CrawlScopeOptions } from './crawl-scope.ts'

const scopeOf = (options: Partial<CrawlScopeOptions> = {}): CrawlScope =>
  new CrawlScope({
    seedUrl: 'https://shop.test/start?x#y',
    sameDomainOnly: true,
    includeSubdomains: false,
    includePaths: [],
    excludePaths: [],
    ...options,
  })

function assertFollowed(scope: CrawlScope, expected: Record<string, boolean>): void {
  for (const [url, isFollowed] of Object.entries(expected)) {
    assert.equal(scope.isFollowed(url), isFollowed, url)
  }
}

test('a crawl stays on the host and port of its seed', () => {
  assertFollowed(scopeOf(), {
    'https://shop.test/': true,
    'https://SHOP.test./any/path?q': true,
    'https://other.test/': false,
    'https://docs.shop.test/': false,
    'https://notshop.test/': false,
    'https://shop.test.evil.test/': false,
    'https://shop.test:8443/': false,
  })
})

test('http and https, and their default ports, are one site', () => {
  assertFollowed(scopeOf(), {
    'http://shop.test/': true,
    'http://shop.test:80/': true,
    'http://shop.test:443/': true,
    'http://shop.test:8080/': false,
  })
  assertFollowed(scopeOf({ seedUrl: 'http://shop.test:8080/' }), {
    'https://shop.test:8080/': true,
    'http://shop.test/': false,
  })
})

test('www. counts as the same host, whichever of the two is the seed', () => {
  assertFollowed(scopeOf(), { 'https://www.shop.test/': true, 'https://www2.shop.test/': false })
  assertFollowed(scopeOf({ seedUrl: 'http://www.shop.test' }), {
    'https://shop.test/': true,
    'https://docs.shop.test/': false,
  })
})

test('a domain that is named www is not taken for its public suffix', () => {
  const scope = scopeOf({ seedUrl: 'https://www.com/', includeSubdomains: true })

  assertFollowed(scope, {
    'https://www.com/': true,
    'https://docs.www.com/': true,
    'https://shop.com/': false,
    'https://com/': false,
  })
})

test('subdomains are those of the seed, not of the domain it belongs to', () => {
  assertFollowed(scopeOf({ seedUrl: 'https://www.shop.test/', includeSubdomains: true }), {
    'https://docs.shop.test/': true,
    'https://a.b.shop.test/': true,
    'https://notshop.test/': false,
  })
  assertFollowed(scopeOf({ seedUrl: 'https://docs.shop.test/', includeSubdomains: true }), {
    'https://en.docs.shop.test/': true,
    'https://shop.test/': false,
    'https://blog.shop.test/': false,
  })
})

test('the tenants of a public suffix are no subdomains of it', () => {
  const scope = scopeOf({ seedUrl: 'https://github.io/', includeSubdomains: true })

  assertFollowed(scope, { 'https://github.io/x': true, 'https://someone.github.io/': false })
})

test('an address and localhost are hosts like any other', () => {
  assertFollowed(scopeOf({ seedUrl: 'http://127.0.0.1:8080/', includeSubdomains: true }), {
    'http://127.0.0.1:8080/x': true,
    'http://127.0.0.1:8081/x': false,
    'http://10.0.0.1:8080/': false,
  })
  assertFollowed(scopeOf({ seedUrl: 'http://[::1]:8080/' }), { 'http://[0::1]:8080/x': true })
  assertFollowed(scopeOf({ seedUrl: 'http://localhost/', includeSubdomains: true }), {
    'http://docs.localhost/': true,
    'http://www.localhost/': true,
  })
})

test('a crawl of all domains takes every http and https URL and no other', () => {
  assertFollowed(scopeOf({ sameDomainOnly: false }), {
    'http://other.test:99/': true,
    'https://shop.test/': true,
    'ftp://shop.test/': false,
    'mailto:a@shop.test': false,
    'no url': false,
  })
})

test('a URL that is megabytes long is out of scope', () => {
  assert.equal(scopeOf().isFollowed(`https://shop.test/${'x'.repeat(10 * 2 ** 20)}`), false)
})

const globs: [name: string, glob: string, matched: string[], unmatched: string[]][] = [
  [
    'a glob without a star is the whole path',
    '/docs',
    ['/docs', '/docs?q=1'],
    ['/docs/', '/docs/x', '/a/docs'],
  ],
  [
    'a star crosses slashes',
    '/docs/*',
    ['/docs/', '/docs/a', '/docs/a/b/c'],
    ['/docs', '/docs2/a'],
  ],
  ['a star in the middle may be empty', '/a*z', ['/az', '/a/b/z'], ['/a', '/az/']],
  ['a glob may begin with a star', '*.html', ['/x.html', '/a/b.html'], ['/x.htm', '/x.html/y']],
  ['a glob without a slash in front gets one', 'blog/*', ['/blog/x'], ['/my/blog/x']],
  ['several stars are as good as one', '/**/x', ['/a/x', '/a/b/x', '//x'], ['/x']],
  ['case matters', '/Docs', ['/Docs'], ['/docs']],
  ['the query is no part of the path', '/*private*', ['/private'], ['/a?private']],
  [
    'characters of other patterns stand for themselves',
    '/a[b].c+(d)',
    ['/a[b].c+(d)'],
    ['/ab.ccd', '/a[b]xc+(d)'],
  ],
  [
    'both spellings of a character outside ASCII match',
    '/café/*',
    ['/café/x', '/caf%C3%A9/x', '/caf%c3%a9/x'],
    ['/cafe/x'],
  ],
  [
    'an escaped glob matches unescaped paths',
    '/%7Eme/a%20b',
    ['/~me/a b', '/%7eme/a%20b'],
    ['/me/a b'],
  ],
]

for (const [name, glob, matched, unmatched] of globs) {
  test(`${name}: ${glob}`, () => {
    const included = scopeOf({ includePaths: [glob] })
    const excluded = scopeOf({ excludePaths: [glob] })

    for (const path of matched) {
      assert.equal(included.isFollowed(`https://shop.test${path}`), true, path)
      assert.equal(excluded.isFollowed(`https://shop.test${path}`), false, path)
    }
    for (const path of unmatched) {
      assert.equal(included.isFollowed(`https://shop.test${path}`), false, path)
      assert.equal(excluded.isFollowed(`https://shop.test${path}`), true, path)
    }
  })
}

test('one of several globs is enough, and excluding wins over including', () => {
  const scope = scopeOf({ includePaths: ['/a/*', '/b/*'], excludePaths: ['*/private', '*.pdf'] })

  assertFollowed(scope, {
    'https://shop.test/a/x': true,
    'https://shop.test/b/x': true,
    'https://shop.test/c/x': false,
    'https://shop.test/a/private': false,
    'https://shop.test/b/x.pdf': false,
  })
})

test('the globs do not apply to the site alone, by which redirects are judged', () => {
  const scope = scopeOf({ includePaths: ['/a/*'] })

  assert.equal(scope.isOnSite('https://www.shop.test/b'), true)
  assert.equal(scope.isOnSite('https://other.test/a/b'), false)
  assert.equal(scope.isOnSite('ftp://shop.test/a/b'), false)
})

test('the path of any URL is a glob that matches it', () => {
  fc.assert(
    fc.property(fc.webPath(), fc.string({ unit: 'binary', maxLength: 10 }), (path, end) => {
      const written = `${path === '' ? '/' : path}${end.replaceAll(/[*?#\\]|^\s+|\s+$/g, '')}`
      const { href, pathname } = new URL(written.replaceAll(/\/{2,}/g, '/'), 'https://shop.test/')

      assert.equal(
        scopeOf({ includePaths: [pathname.replaceAll('*', 'x')] }).isFollowed(
          href.replaceAll('*', 'x'),
        ),
        true,
      )
    }),
  )
})

test('hostile globs are matched without backtracking', () => {
  const hostile = ['*a'.repeat(500_000), `${'*a'.repeat(4_000)}b`, `*b${'a'.repeat(8_000)}`]
  const scope = scopeOf({ includePaths: hostile })

  assert.equal(scope.isFollowed(`https://shop.test/${'a'.repeat(8_000)}`), false)
})

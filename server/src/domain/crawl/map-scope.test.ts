import assert from 'node:assert/strict'
import test from 'node:test'
import { MapScope, type MapScopeOptions } from './map-scope.ts'

const scopeOf = (seedUrl: string, options: Partial<MapScopeOptions> = {}): MapScope =>
  new MapScope({ seedUrl, includeSubdomains: false, ignoreQueryParameters: true, ...options })

function assertListed(scope: MapScope, expected: Record<string, string | boolean>): void {
  for (const [url, listed] of Object.entries(expected)) {
    const wanted = listed === true ? url : listed === false ? undefined : listed
    assert.equal(scope.findListed(url), wanted, url)
  }
}

test('a map lists the exact host, and www. counts as the same', () => {
  assertListed(scopeOf('https://shop.test'), {
    'https://shop.test/': true,
    'http://shop.test/x': true,
    'https://www.shop.test/x': true,
    'https://docs.shop.test/': false,
    'https://shop.test:8443/': false,
    'https://other.test/': false,
    'mailto:a@shop.test': false,
  })
  assertListed(scopeOf('https://www.docs.shop.test'), {
    'https://docs.shop.test/x': true,
    'https://shop.test/': false,
  })
})

test('a seed with a path lists what lies under it, segment by segment', () => {
  for (const seed of [
    'https://shop.test/docs',
    'https://shop.test/docs/',
    'https://shop.test/%64ocs?q',
  ]) {
    assertListed(scopeOf(seed), {
      'https://shop.test/docs': true,
      'https://shop.test/docs/': true,
      'https://shop.test/docs/x/y': true,
      'https://shop.test/%64ocs/x': 'https://shop.test/docs/x',
      'https://shop.test/docs2': false,
      'https://shop.test/Docs/x': false,
      'https://shop.test/': false,
      'https://shop.test/a/docs/x': false,
    })
  }
})

test('with subdomains a map lists the registrable domain, whatever the path', () => {
  assertListed(scopeOf('https://docs.shop.co.uk/guide', { includeSubdomains: true }), {
    'https://shop.co.uk/': true,
    'https://www.shop.co.uk/x': true,
    'https://a.b.shop.co.uk/x': true,
    'https://docs.shop.co.uk/other': true,
    'https://other.co.uk/': false,
    'https://shop.co.uk:8443/': false,
  })
})

test('the neighbours on a host that gives names to others are not part of the domain', () => {
  assertListed(scopeOf('https://me.github.io/', { includeSubdomains: true }), {
    'https://docs.me.github.io/': true,
    'https://you.github.io/': false,
    'https://github.io/': false,
  })
})

test('an address has no subdomains and localhost has', () => {
  assertListed(scopeOf('http://127.0.0.1:8080', { includeSubdomains: true }), {
    'http://127.0.0.1:8080/x': true,
    'http://127.0.0.2:8080/x': false,
  })
  assertListed(scopeOf('http://localhost:8080', { includeSubdomains: true }), {
    'http://docs.localhost:8080/x': true,
    'http://localhost:8080/x': true,
  })
})

test('only with subdomains are other hosts asked for their sitemaps, at the port of the seed', () => {
  const withSubdomains = { includeSubdomains: true }

  assert.deepEqual(scopeOf('https://shop.test/docs').sitemapOrigins, ['https://shop.test'])
  assert.deepEqual(scopeOf('http://www.shop.co.uk:8080/x', withSubdomains).sitemapOrigins, [
    'http://www.shop.co.uk:8080',
    'http://docs.shop.co.uk:8080',
    'http://blog.shop.co.uk:8080',
    'http://help.shop.co.uk:8080',
    'http://support.shop.co.uk:8080',
  ])
  assert.deepEqual(scopeOf('https://docs.shop.test', withSubdomains).sitemapOrigins, [
    'https://docs.shop.test',
    'https://blog.shop.test',
    'https://help.shop.test',
    'https://support.shop.test',
  ])
  assert.deepEqual(scopeOf('http://127.0.0.1:8080', withSubdomains).sitemapOrigins, [
    'http://127.0.0.1:8080',
  ])
})

test('queries are dropped or kept, and fragments always dropped', () => {
  assertListed(scopeOf('https://shop.test'), {
    'https://shop.test/x?b=1&a=2#c': 'https://shop.test/x',
  })
  assertListed(scopeOf('https://shop.test', { ignoreQueryParameters: false }), {
    'https://shop.test/x?b=1&a=2#c': 'https://shop.test/x?b=1&a=2',
  })
})

test('a search finds any part of a URL, whatever the case', () => {
  assertListed(scopeOf('https://shop.test', { search: ' BLog ' }), {
    'https://shop.test/my-blog/1': true,
    'https://shop.test/BLOG': true,
    'https://shop.test/news': false,
    'https://shop.test/news?blog': false,
  })
  assertListed(scopeOf('https://shop.test', { search: 'shop.TEST' }), {
    'https://shop.test/x': true,
  })
})

test('a search finds escaped characters as people write them', () => {
  assertListed(scopeOf('https://shop.test', { search: 'CAFÉ' }), {
    'https://shop.test/caf%C3%A9': true,
    'https://shop.test/caf%E9': false,
  })
})

test('the hosts of a map do not depend on its path and search', () => {
  const scope = scopeOf('https://shop.test/docs', { search: 'x' })

  assert.equal(scope.hasHost('https://www.shop.test/sitemap.xml'), true)
  assert.equal(scope.hasHost('https://cdn.test/sitemap.xml'), false)
})

test('a URL that is megabytes long is not listed', () => {
  assertListed(scopeOf('https://shop.test'), {
    [`https://shop.test/${'x'.repeat(2 ** 20)}`]: false,
  })
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { discover, index, shown, urlset } from '../../../test/support/discovery.ts'
import { type MemoryPages, unreachable } from '../../../test/support/memory-site.ts'

test('the failure of the page is a warning where sitemaps gave something', async () => {
  const discovery = await discover({
    '/sitemap.xml': urlset('https://shop.test/1'),
    '/': unreachable,
  })

  assert.deepEqual(shown(discovery), ['sitemap https://shop.test/1'])
  assert.match(discovery.warning ?? '', /page could not be read \(TARGET_UNREACHABLE\)/)
})

test('the links of an error page count, with a warning', async () => {
  const discovery = await discover({ '/': { status: 500, body: '<a href="/1">home</a>' } })

  assert.deepEqual(shown(discovery), ['html https://shop.test/1'])
  assert.match(discovery.warning ?? '', /page answered with status 500/)
})

test('a sitemap that is named or usual and fails is a warning', async () => {
  const named = '/robots.txt'
  const page = { '/': '<a href="/1">1</a>' }
  const sites: Record<string, MemoryPages> = {
    'named by robots.txt, gone': { [named]: 'sitemap: /gone.xml' },
    'named by robots.txt, unreachable': { [named]: 'sitemap: /a.xml', '/a.xml': unreachable },
    'named by an index, failing': {
      '/sitemap.xml': index('/a.xml', '/b.xml'),
      '/a.xml': urlset('/2'),
      '/b.xml': { status: 503 },
    },
    'named, but a page': { [named]: 'sitemap: /a.xml', '/a.xml': '<!doctype html><p>x</p>' },
    'usual, failing': { '/sitemap.xml': { status: 500 } },
    'usual, unreachable': { '/sitemap.xml': unreachable },
    'robots.txt, failing': { [named]: { status: 502 } },
  }
  for (const [kind, site] of Object.entries(sites)) {
    const { warning } = await discover({ ...page, ...site })
    assert.match(warning ?? '', /sitemaps could not be read/, kind)
  }
})

test('what is no sitemap, and sitemaps that were only guessed, are no warning', async () => {
  const page = { '/': '<a href="/1">1</a>' }
  const guessed = {
    'https://docs.shop.test/sitemap.xml': unreachable,
    'https://docs.shop.test/robots.txt': unreachable,
    'https://blog.shop.test/sitemap.xml': { status: 503 },
  }

  const { warning } = await discover({ ...page, ...guessed }, { includeSubdomains: true })
  const missing = await discover({ ...page, '/sitemap.xml': { status: 403 } })

  assert.deepEqual([warning, missing.warning], [null, null])
})

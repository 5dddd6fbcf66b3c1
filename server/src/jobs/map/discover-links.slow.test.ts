import assert from 'node:assert/strict'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import { discover, index, seedUrl, shown, urlset } from '../../../test/support/discovery.ts'
import {
  type MemoryPages,
  type MemoryResponse,
  MemorySite,
  unreachable,
} from '../../../test/support/memory-site.ts'
import { Failure } from '../../domain/failure.ts'
import { sitemapsMax, urlCharactersMax } from '../sitemaps/walk-sitemaps.ts'
import { discoveredLinksMax } from './discover-links.ts'

const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, number) => `https://shop.test/${prefix}${number}`)

test('a map lists the pages of sitemaps, then the links of the page, each URL once', async () => {
  const discovery = await discover({
    '/robots.txt': 'sitemap: https://shop.test/named.xml\nsitemap: /relative.xml',
    '/named.xml': urlset('https://shop.test/1', 'https://shop.test/1#x', 'https://other.test/2'),
    '/relative.xml': urlset('https://shop.test/3?q=1'),
    '/sitemap.xml': urlset('https://shop.test/4', 'https://shop.test/1'),
    '/': '<a href="/5">5</a><a href="/4">4</a><a href="https://other.test/">o</a><a href="/5?x">5</a>',
  })

  assert.deepEqual(discovery, {
    links: [
      { url: 'https://shop.test/1', source: 'sitemap' },
      { url: 'https://shop.test/3', source: 'sitemap' },
      { url: 'https://shop.test/4', source: 'sitemap' },
      { url: 'https://shop.test/5', source: 'html' },
    ],
    warning: null,
    isTimedOut: false,
  })
})

test('a site without sitemaps gives the links of its page, relative to where it was found', async () => {
  const discovery = await discover(
    {
      '/docs': {
        finalUrl: 'https://www.shop.test/docs/en/',
        body: '<a href="x">x</a><a href="/y">y</a>',
      },
    },
    { seedUrl: 'https://shop.test/docs' },
  )

  assert.deepEqual(shown(discovery), ['html https://www.shop.test/docs/en/x'])
})

test('indexes of indexes are followed five levels deep', async () => {
  const site = new MemorySite({
    '/sitemap.xml': index('https://shop.test/2.xml'),
    '/2.xml': index('https://shop.test/3.xml', '/gone.xml'),
    '/3.xml': index('/4.xml'),
    '/4.xml': index('/5.xml', '/pages.xml'),
    '/5.xml': index('/6.xml'),
    '/6.xml': urlset('https://shop.test/too-deep'),
    '/pages.xml': urlset('https://shop.test/1'),
  })

  assert.deepEqual(shown(await discover(site)), ['sitemap https://shop.test/1'])
  assert.equal(site.asked.includes('https://shop.test/6.xml'), false)
})

test('each sitemap is fetched once, also where indexes name each other', async () => {
  const site = new MemorySite({
    '/robots.txt': 'sitemap: /a.xml\nsitemap: https://SHOP.test:443/a.xml#x',
    '/a.xml': index('/b.xml', '/a.xml', '/sitemap.xml'),
    '/b.xml': index('/a.xml', '/b.xml', '/c.xml'),
    '/c.xml': urlset('https://shop.test/1'),
    '/sitemap.xml': index('/a.xml', '/b.xml'),
  })

  assert.deepEqual(shown(await discover(site)), ['sitemap https://shop.test/1'])
  assert.deepEqual(site.asked.toSorted(), [
    'https://shop.test/',
    'https://shop.test/a.xml',
    'https://shop.test/b.xml',
    'https://shop.test/c.xml',
    'https://shop.test/robots.txt',
    'https://shop.test/sitemap.xml',
  ])
})

test('gzipped sitemaps and relative URLs are understood', async () => {
  const discovery = await discover({
    '/sitemap.xml': index('/deep/pages.xml.gz'),
    '/deep/pages.xml.gz': gzipSync(urlset('/1', '2', '?3', '//shop.test/4')),
  })

  assert.deepEqual(shown(discovery), [
    'sitemap https://shop.test/1',
    'sitemap https://shop.test/deep/2',
    'sitemap https://shop.test/deep/pages.xml.gz',
    'sitemap https://shop.test/4',
  ])
})

test('60 000 pages in several sitemaps are listed in the order of the index, however slow each is', async () => {
  const count = 6
  const site: MemoryPages = {
    '/': 'a page without links',
    '/sitemap.xml': index(...Array.from({ length: count }, (_, part) => `/${part}.xml`)),
  }
  for (let part = 0; part < count; part++) {
    site[`/${part}.xml`] = async () => {
      for (let turn = part; turn < count; turn++)
        await new Promise((resolve) => setImmediate(resolve))
      return { body: urlset(...numbered(10_000, `${part}-`)) }
    }
  }

  const { links, warning } = await discover(site)

  assert.equal(links.length, 60_000)
  assert.equal(warning, null)
  assert.deepEqual(
    links.map(({ url }) => url),
    Array.from({ length: count }, (_, part) => numbered(10_000, `${part}-`)).flat(),
  )
})

test('the list ends at its maximum with a warning, and nothing more is fetched', async () => {
  const parts = Array.from({ length: 10 }, (_, part) => `/${part}.xml`)
  const site: MemoryPages = { '/sitemap.xml': index(...parts) }
  for (const part of parts) site[part] = urlset(...numbered(30_000, `${part.slice(1)}-`))
  const memory = new MemorySite(site)

  const { links, warning } = await discover(memory)

  assert.equal(links.length, discoveredLinksMax)
  assert.equal(links.at(-1)?.url, 'https://shop.test/3.xml-9999')
  assert.match(warning ?? '', /100000/)
  assert.equal(memory.asked.includes('https://shop.test/9.xml'), false)
})

test('long URLs end the list before their number does, with a warning', async () => {
  const long = numbered(2_500, `${'x'.repeat(8_000)}-`)
  const site = { '/robots.txt': 'sitemap: /more.xml', '/more.xml': urlset(...long) }

  const { links, warning } = await discover({ ...site, '/sitemap.xml': urlset(seedUrl) })

  const characters = links.reduce((sum, { url }) => sum + url.length, 0)
  assert.ok(links.length < long.length && characters <= urlCharactersMax)
  assert.match(warning ?? '', new RegExp(`first ${links.length} links`))
})

test('at most four sitemaps are fetched at once, and a limited number in all', async () => {
  const children = Array.from({ length: sitemapsMax + 50 }, (_, number) => `/s${number}.xml`)
  const site = new MemorySite({ '/sitemap.xml': index(...children) })

  await discover(site)

  assert.equal(site.asked.filter((url) => url.endsWith('.xml')).length, sitemapsMax)
  assert.equal(site.runningMost <= 5, true, 'four and the seed page')
})

test('a search keeps the URLs that contain it', async () => {
  const discovery = await discover(
    {
      '/sitemap.xml': urlset(
        ...['Blog', 'news', 'blog/1'].map((path) => `https://shop.test/${path}`),
      ),
      '/': '<a href="/my-BLOG">x</a>',
    },
    { search: 'blog' },
  )

  assert.deepEqual(shown(discovery), [
    'sitemap https://shop.test/Blog',
    'sitemap https://shop.test/blog/1',
    'html https://shop.test/my-BLOG',
  ])
})

test('with subdomains the usual ones are asked for their sitemaps', async () => {
  const discovery = await discover(
    {
      'https://blog.shop.test/robots.txt': 'sitemap: https://blog.shop.test/s.xml',
      'https://blog.shop.test/s.xml': urlset('https://blog.shop.test/1', 'https://any.shop.test/2'),
      'https://docs.shop.test/sitemap.xml': urlset('https://docs.shop.test/3'),
      'https://help.shop.test/robots.txt': unreachable,
      'https://help.shop.test/sitemap.xml': unreachable,
    },
    { includeSubdomains: true },
  )

  assert.deepEqual(shown(discovery), [
    'sitemap https://docs.shop.test/3',
    'sitemap https://blog.shop.test/1',
    'sitemap https://any.shop.test/2',
  ])
})

test('a sitemap that redirects to another site is not read', async () => {
  const discovery = await discover({
    '/sitemap.xml': {
      finalUrl: 'https://other.test/sitemap.xml',
      body: urlset('https://shop.test/1'),
    },
    '/robots.txt': 'sitemap: /moved.xml',
    '/moved.xml': { finalUrl: 'https://www.shop.test/new/moved.xml', body: urlset('2') },
  })

  assert.deepEqual(shown(discovery), ['sitemap https://www.shop.test/new/2'])
})

test('robots.txt may name a sitemap on another host, but an index may not lead to a third', async () => {
  const site = new MemorySite({
    '/robots.txt': 'sitemap: https://cdn.test/index.xml',
    'https://cdn.test/index.xml': index(
      'https://cdn.test/a.xml',
      'https://victim.test/b.xml',
      'https://shop.test/c.xml',
    ),
    'https://cdn.test/a.xml': urlset('https://shop.test/1', 'https://cdn.test/2'),
    '/c.xml': urlset('https://shop.test/3'),
  })

  assert.deepEqual(shown(await discover(site)), [
    'sitemap https://shop.test/1',
    'sitemap https://shop.test/3',
  ])
  assert.equal(
    site.asked.some((url) => url.includes('victim')),
    false,
  )
})

test('a page of HTML in place of a sitemap is passed over without a warning', async () => {
  const html = '<!doctype html><html><body><a href="/x">x</a></body></html>'

  const discovery = await discover({ '/sitemap.xml': html, '/robots.txt': html, '/': html })

  assert.deepEqual(shown(discovery), ['html https://shop.test/x'])
  assert.equal(discovery.warning, null)
})

async function* endless(head: string, part: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head)
  for (;;) yield Buffer.alloc(64 * 1024, part)
}

async function* breaksOff(head: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head.padEnd(2_000))
  throw new Failure('BAD_RESPONSE', 'Cut off.')
}

test('hostile and broken sitemaps give what was found in them and a warning', async () => {
  const entry = (number: number): string =>
    `<urlset><url><loc>https://shop.test/${number}</loc></url>`
  const discovery = await discover({
    '/robots.txt': ['/text.xml', '/depth.xml', '/break.xml', '/fault.xml']
      .map((url) => `sitemap: ${url}\n`)
      .join(''),
    '/text.xml': { body: endless(`${entry(1)}<url><loc>`, 'x') },
    '/depth.xml': { body: endless(entry(2), '<a>') },
    '/break.xml': { body: breaksOff(entry(3)) },
    '/fault.xml': `${entry(4)}</broken>`,
    '/sitemap.xml': urlset(
      'https://shop.test/5',
      'http://[',
      'javascript:0',
      `https://shop.test/${'x'.repeat(9_000)}`,
    ),
  })

  assert.deepEqual(
    shown(discovery),
    [1, 2, 3, 4, 5].map((number) => `sitemap https://shop.test/${number}`),
  )
  assert.match(discovery.warning ?? '', /sitemaps could not be read/)
})

test('an endless robots.txt is read up to its limit', async () => {
  const discovery = await discover({
    '/robots.txt': { body: endless('sitemap: /a.xml\n', '#') },
    '/a.xml': urlset('/1'),
  })

  assert.deepEqual(shown(discovery), ['sitemap https://shop.test/1'])
})

test('at the time limit a map returns what was found, even from a sitemap that hangs', async () => {
  const time = new AbortController()
  async function* hangs(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`<urlset><url><loc>https://shop.test/2</loc></url>${' '.repeat(2_000)}`)
    setImmediate(() => time.abort())
    await new Promise(() => {})
  }

  const discovery = await discover(
    {
      '/robots.txt': 'sitemap: /a.xml\nsitemap: /b.xml',
      '/a.xml': urlset('https://shop.test/1'),
      '/b.xml': { body: hangs() },
      '/': '<a href="/3">3</a>',
    },
    {},
    time.signal,
  )

  assert.deepEqual(shown(discovery), [
    'sitemap https://shop.test/1',
    'sitemap https://shop.test/2',
    'html https://shop.test/3',
  ])
  assert.equal(discovery.isTimedOut, true)
  assert.match(discovery.warning ?? '', /out of time/)
})

test('at the time limit nothing waits for a fetch that never ends', async () => {
  const time = new AbortController()
  const never = async (): Promise<MemoryResponse> => {
    time.abort()
    return await new Promise(() => {})
  }

  const discovery = await discover(
    { '/robots.txt': never, '/sitemap.xml': never, '/': never },
    {},
    time.signal,
  )

  assert.deepEqual(discovery.links, [])
  assert.equal(discovery.isTimedOut, true)
})

test('a site that cannot be reached is the failure of its page', async () => {
  await assert.rejects(
    discover({ '/robots.txt': unreachable, '/sitemap.xml': unreachable, '/': unreachable }),
    { code: 'TARGET_UNREACHABLE' },
  )
})

test('a site that answers but names no URL gives an empty list', async () => {
  assert.deepEqual(await discover({ '/': 'nothing here' }), {
    links: [],
    warning: null,
    isTimedOut: false,
  })
})

test('every fetch is ended, so that unread bodies hold no connection', async () => {
  const site = new MemorySite({ '/sitemap.xml': { status: 500, body: endless('', 'x') } })

  await discover(site)

  assert.equal(site.ended.length, 3)
  assert.equal(
    site.ended.every(({ aborted }) => aborted),
    true,
  )
})

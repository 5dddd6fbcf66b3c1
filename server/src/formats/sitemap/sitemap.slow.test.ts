import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { Turns } from '../../runtime/sharing/turns.ts'
import { readSitemap, sitemapBytesMax } from './sitemap.ts'
import type { SitemapEntry } from './sitemap-entries.ts'

async function* chunked(body: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < body.byteLength; from += chunkBytes) {
    yield body.subarray(from, from + chunkBytes)
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>) {
  const entries: SitemapEntry[] = []
  const reading = readSitemap(chunks, new Turns())
  for (;;) {
    const { done, value } = await reading.next()
    if (done) return { entries, isComplete: value.isComplete }
    entries.push(value)
  }
}

const read = (body: string | Uint8Array, chunkBytes = 64 * 1024) =>
  readAll(chunked(typeof body === 'string' ? Buffer.from(body) : body, chunkBytes))

const pages = (...urls: string[]): SitemapEntry[] => urls.map((url) => ({ kind: 'page', url }))
const sitemaps = (...urls: string[]): SitemapEntry[] =>
  urls.map((url) => ({ kind: 'sitemap', url }))
const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

const files: [name: string, body: string, entries: SitemapEntry[]][] = [
  [
    'the pages of a sitemap are read in their order',
    `<?xml version="1.0" encoding="UTF-8"?><urlset ${namespace}><url><loc>https://a.test/1</loc><lastmod>2026-01-01</lastmod></url><url><loc>https://a.test/2</loc></url></urlset>`,
    pages('https://a.test/1', 'https://a.test/2'),
  ],
  [
    'an index names sitemaps',
    `<sitemapindex ${namespace}><sitemap><loc>https://a.test/s.xml</loc></sitemap><sitemap><loc>/t.xml.gz</loc></sitemap></sitemapindex>`,
    sitemaps('https://a.test/s.xml', '/t.xml.gz'),
  ],
  [
    'elements may have a prefix',
    '<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:url><sm:loc>https://a.test/1</sm:loc></sm:url></sm:urlset>',
    pages('https://a.test/1'),
  ],
  [
    'entities, CDATA, comments and white space are understood',
    '<urlset><url><loc>\n  https://a.test/?a=1&amp;b=&#50;&#x33; </loc></url><url><loc><![CDATA[https://a.test/?c&d]]></loc></url><url><loc>https://<!-- x -->a.test/4</loc></url></urlset>',
    pages('https://a.test/?a=1&b=23', 'https://a.test/?c&d', 'https://a.test/4'),
  ],
  [
    'an unescaped ampersand is taken for itself',
    '<urlset><url><loc>https://a.test/?a=1&b=2&&amp;d&</loc></url><url><loc>https://a.test/2&</loc></url><url><loc><![CDATA[https://a.test/?c&amp;d]]></loc></url></urlset>',
    pages('https://a.test/?a=1&b=2&&d&', 'https://a.test/2&', 'https://a.test/?c&d'),
  ],
  [
    'images, videos and translations are no pages',
    '<urlset><url><loc>https://a.test/1</loc><image:image><image:loc>https://a.test/i.png</image:loc></image:image><image:loc>https://a.test/j.png</image:loc><video:video><video:content_loc>https://a.test/v.mp4</video:content_loc><video:player_loc>https://a.test/p</video:player_loc></video:video><xhtml:link rel="alternate" hreflang="de" href="https://a.test/de"/></url></urlset>',
    pages('https://a.test/1'),
  ],
  [
    'an entry without a URL is passed over',
    '<urlset><url><loc> </loc></url><url/><url><loc/></url></urlset>',
    [],
  ],
  [
    'a loc elsewhere is no page',
    '<urlset><loc>https://a.test/1</loc><sitemap><loc>https://a.test/2</loc></sitemap><x><url><loc>https://a.test/3</loc></url></x></urlset>',
    [],
  ],
  ['an empty sitemap has no pages', `<urlset ${namespace}/>`, []],
  [
    'the pages of an RSS feed are read',
    '<rss version="2.0"><channel><link>https://a.test/</link><atom:link href="https://a.test/feed" rel="self"/><item><title>1</title><link>https://a.test/1</link><atom:link href="https://a.test/x"/></item></channel></rss>',
    pages('https://a.test/1'),
  ],
  [
    'the pages of an Atom feed are read',
    '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.test/"/><entry><link href="https://a.test/1"/><link rel="edit" href="https://a.test/edit"/></entry><entry><link rel="alternate" href="/2"/></entry></feed>',
    pages('https://a.test/1', '/2'),
  ],
  [
    'the pages of an RSS 1.0 feed are read',
    '<rdf:RDF><channel><link>https://a.test/</link></channel><item><link>https://a.test/1</link></item></rdf:RDF>',
    pages('https://a.test/1'),
  ],
  [
    'a text file has one URL per line',
    'https://a.test/1\r\n\r\n  HTTP://a.test/2?x&y \nno url\n/relative\nftp://a.test/\nhttps://a.test/a b\nhttps://a.test/3',
    pages('https://a.test/1', 'HTTP://a.test/2?x&y', 'https://a.test/3'),
  ],
  ['an empty file has no entries', '', []],
  ['a file of white space has no entries', ' \n'.repeat(2_000), []],
]

for (const [name, body, entries] of files) {
  test(name, async () => {
    assert.deepEqual(await read(body), { entries, isComplete: true })
    assert.deepEqual(await read(gzipSync(body)), { entries, isComplete: true })
  })
}

test('a byte order mark, UTF-16 and a declared charset are understood', async () => {
  const xml = '<urlset><url><loc>https://a.test/é</loc></url></urlset>'
  const expected = { entries: pages('https://a.test/é'), isComplete: true }
  const declared = `<?xml version="1.0" encoding="ISO-8859-1"?>${xml}`
  const wrong = `<?xml version="1.0" encoding="utf-16"?>${xml}`
  const unknown = `<?xml version="1.0" encoding="x-none"?>${xml}`

  assert.deepEqual(await read(`\ufeff${xml}`), expected)
  assert.deepEqual(await read(Buffer.from(`\ufeff${xml}`, 'utf16le')), expected)
  assert.deepEqual(await read(Buffer.from(`\ufeff${xml}`, 'utf16le').swap16()), expected)
  assert.deepEqual(await read(Buffer.from(declared, 'latin1')), expected)
  assert.deepEqual(await read(wrong), expected)
  assert.deepEqual(await read(unknown), expected)
})

test('the entries do not depend on where the chunks are cut', async () => {
  const bodies = files.map(([, body]) => Buffer.from(body)).filter((body) => body.byteLength > 0)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bodies, ...bodies.map((body) => gzipSync(body))),
      fc.integer({ min: 1, max: 200 }),
      async (body, chunkBytes) => {
        assert.deepEqual(await read(body, chunkBytes), await read(body))
      },
    ),
  )
})

test('a sitemap of 60 000 pages is read as a stream', async () => {
  const count = 60_000
  let sent = 0
  async function* endless(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('<urlset>')
    while (sent < count) {
      const part = Array.from(
        { length: 100 },
        () => `<url><loc>https://a.test/${sent++}</loc></url>`,
      )
      yield Buffer.from(part.join(''))
    }
    yield Buffer.from('</urlset>')
  }

  const reading = readSitemap(endless(), new Turns())
  const { value } = await reading.next()
  const sentAtFirst = sent
  let rest = 0
  for await (const _ of reading) rest++

  assert.deepEqual(value, { kind: 'page', url: 'https://a.test/0' })
  assert.equal(sentAtFirst <= 200, true)
  assert.equal(rest, count - 1)
})

const start = '<urlset><url><loc>https://a.test/1</loc></url>'
const broken: [name: string, body: string | Uint8Array, entries: SitemapEntry[]][] = [
  ['a file that is cut off', `${start}<url><loc>https://a.test/2</lo`, pages('https://a.test/1')],
  [
    'a page of HTML',
    '<!doctype html><html><body><url><loc>https://a.test/1</loc></url></body></html>',
    [],
  ],
  [
    'XML of another kind',
    '<note><urlset><url><loc>https://a.test/1</loc></url></urlset></note>',
    [],
  ],
  [
    'gzip that is cut off',
    gzipSync(`${start}${randomBytes(50_000).toString('hex')}`).subarray(0, 30_000),
    pages('https://a.test/1'),
  ],
  ['gzip that is broken', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4]), []],
  ['a declaration of XML alone', '<?xml version="1.0"?>', []],
]

for (const [name, body, entries] of broken) {
  test(`${name} ends quietly with what was found`, async () => {
    assert.deepEqual(await read(body), { entries, isComplete: false })
  })
}

const entityBomb = `<!DOCTYPE urlset [<!ENTITY a "https://a.test/">${Array.from({ length: 30 }, (_, index) => `<!ENTITY b${index} "${`&b${index - 1};`.repeat(10)}">`).join('')}]><urlset><url><loc>&b29;</loc></url><url><loc>https://a.test/1</loc></url></urlset>`

test('entities that a file declares are not expanded', async () => {
  const { entries, isComplete } = await read(entityBomb)

  assert.deepEqual(entries, pages('&b29;', 'https://a.test/1'))
  assert.equal(isComplete, false)
})

async function* repeated(head: string, part: string, bytesMax: number) {
  yield Buffer.from(head)
  const chunk = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)))
  for (let sent = 0; sent < bytesMax; sent += chunk.byteLength) {
    yielded += chunk.byteLength
    yield chunk
  }
}
let yielded = 0

const hostile: [name: string, head: string, part: string][] = [
  ['a URL without end', `${start}<url><loc>https://a.test/`, 'x'],
  ['a comment without end', `${start}<!--`, 'x'],
  ['CDATA without end', `${start}<url><loc><![CDATA[`, 'x'],
  ['a tag without end', `${start}<url `, 'a="b" '],
  ['a name without end', `${start}<`, 'x'],
  ['an attribute without end', `${start}<url a="`, 'x'],
  ['a document type without end', '<!DOCTYPE urlset [', '<!ENTITY a "b">'],
  ['an entity without end', `${start}<url><loc>&`, 'x'],
  ['elements nested without end', start, '<url>'],
  ['faults without end', start, '& '],
  ['unknown entities without end', start, '&x;'],
  ['end tags without end', start, '</x>'],
]

for (const [name, head, part] of hostile) {
  test(`reading stops soon at ${name}`, async () => {
    yielded = 0

    const { entries, isComplete } = await readAll(repeated(head, part, 40 * 2 ** 20))

    assert.equal(isComplete, false)
    assert.deepEqual(entries, head.startsWith(start) ? pages('https://a.test/1') : [])
    assert.equal(yielded <= 2 ** 20, true, `${yielded} bytes were read`)
  })
}

test('a line without end is passed over', async () => {
  const body = `https://a.test/1\nhttps://a.test/${'x'.repeat(10 * 2 ** 20)}\nhttps://a.test/2\n`

  assert.deepEqual(await read(body), {
    entries: pages('https://a.test/1', 'https://a.test/2'),
    isComplete: true,
  })
})

test('a URL longer than a request may name is passed over', async () => {
  const long = `https://a.test/${'x'.repeat(9_000)}`
  const body = `<urlset><url><loc>${long}</loc></url><url><loc>https://a.test/1</loc></url></urlset>`

  assert.deepEqual(await read(body), { entries: pages('https://a.test/1'), isComplete: true })
})

test('a decompression bomb is read up to the limit of the protocol', async () => {
  const padding = Buffer.alloc(sitemapBytesMax, ' ')
  const body = Buffer.concat([
    Buffer.from(start),
    Buffer.from('<url><loc>https://a.test/2</loc></url>'.repeat(2)),
    Buffer.from('<x></x>'.padEnd(1_000).repeat(sitemapBytesMax / 1_000)),
    padding.subarray(0, 1_000),
    Buffer.from('<url><loc>https://a.test/3</loc></url></urlset>'),
  ])

  assert.deepEqual(await read(gzipSync(body)), {
    entries: pages('https://a.test/1', 'https://a.test/2', 'https://a.test/2'),
    isComplete: false,
  })
})

test('an error of the source is thrown, gzipped or not', async () => {
  for (const body of [Buffer.from(start), gzipSync(start)]) {
    async function* failing() {
      yield body
      throw new Error('connection lost')
    }

    await assert.rejects(readAll(failing()), /connection lost/)
  }
})

test('the source is closed when reading stops early', async () => {
  for (const body of [
    Buffer.from(start.padEnd(2_000)),
    gzipSync(start + randomBytes(90_000).toString('hex')),
  ]) {
    const closed = Promise.withResolvers<void>()
    async function* source() {
      try {
        for (;;) yield body
      } finally {
        closed.resolve()
      }
    }

    for await (const _ of readSitemap(source(), new Turns())) break

    await closed.promise
  }
})

test('others have their turns while one large chunk without entries is read', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs++)
  let othersTurns = 0
  onEachTurn(t, () => {
    othersTurns += 1
  })

  const { entries } = await read(`<urlset>${'<a/>'.repeat(100_000)}</urlset>`, 2 ** 20)

  assert.deepEqual(entries, [])
  assert.ok(othersTurns >= 30, `There were ${othersTurns} turns.`)
})

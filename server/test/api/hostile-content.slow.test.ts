/**
 * Extractions of pages that are made to harm: each ends in a result or a named failure, and the small
 * page that another account asks for meanwhile is not delayed into a failure.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { extract, extracted, failureIn, once } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const many = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('')
const nested = (tag: string, levels: number): string => `<${tag}>`.repeat(levels)

/** Whether memory suffices for a page near the limit depends on the version of Node. */
type Outcome = 'data' | 'CONTENT_TOO_COMPLEX' | 'RESPONSE_TOO_LARGE' | 'data or RESPONSE_TOO_LARGE'

interface HostileContent {
  name: string
  content: string | Buffer
  outcome: Outcome
  type?: string
  encoding?: string
  rules?: Record<string, unknown>
}

const page = (
  name: string,
  outcome: Outcome,
  content: string,
  rules?: HostileContent['rules'],
) => ({
  name,
  outcome,
  content,
  ...(rules && { rules }),
})

const table = { table: { selector: 'table', output: 'table' } }
const entities = `<!DOCTYPE b [<!ENTITY e0 "boom">${many(
  9,
  (at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`,
)}]>`
const rows = '<div class="x"><p>a <b>b</b></p></div>'.repeat(4_000)

const contents: HostileContent[] = [
  page('1 000 000 elements', 'CONTENT_TOO_COMPLEX', '<p>x</p>'.repeat(1_000_000)),
  page('1 000 000 links', 'CONTENT_TOO_COMPLEX', '<a href=/x>x</a>'.repeat(1_000_000)),
  ...['div', 'b', 'ul><li', 'blockquote', 'table><tr><td', 'a><div', 'svg'].map((tag) =>
    page(`100 000 levels of ${tag}`, 'CONTENT_TOO_COMPLEX', nested(tag, 100_000)),
  ),
  page(
    '10 000 links that are never closed',
    'data',
    many(10_000, (at) => `<a href=/${at}>x `),
  ),
  page(
    '1 000 levels of quotes',
    'data',
    `${nested('blockquote', 1_000)}<pre>${'a\n'.repeat(1_000)}`,
  ),
  page(
    'a table of 30 000 cells',
    'data',
    `<table>${`<tr>${'<td>x</td>'.repeat(100)}</tr>`.repeat(300)}</table>`,
    table,
  ),
  page(
    'cells that span 65 534 columns and rows',
    'data',
    `<table>${'<tr><td colspan=65534 rowspan=65534>x</td></tr>'.repeat(1_000)}</table>`,
    table,
  ),
  page(
    'an attribute of 10 MB',
    'data or RESPONSE_TOO_LARGE',
    `<p class="${'x '.repeat(5_000_000)}">x`,
    {
      x: { selector: 'p', output: '@class' },
    },
  ),
  page('1 000 000 attributes', 'CONTENT_TOO_COMPLEX', `<p ${many(1_000_000, (at) => `a${at} `)}>x`),
  page('a line of 10 MB', 'data or RESPONSE_TOO_LARGE', `<p>${'x'.repeat(10_000_000)}</p>`),
  page(
    '1 MB of signs of markdown',
    'data or RESPONSE_TOO_LARGE',
    `<p>${'*_[`\\'.repeat(200_000)}</p>`,
  ),
  page('1 MB of broken tags', 'data or RESPONSE_TOO_LARGE', '<'.repeat(1_000_000)),
  page('3 MB of entities', 'data or RESPONSE_TOO_LARGE', '&amp;&#0;&#xD800;&notit'.repeat(130_000)),
  page('an image of 5 MB in its address', 'data', `<img src="data:x,${'y'.repeat(5_000_000)}">x`),
  page(
    '5 000 footnotes',
    'data',
    `<p>${many(5_000, (at) => `x<sup><a href=#n${at}>${at}</a></sup>`)}</p><ol>${many(5_000, (at) => `<li id=n${at}>y`)}`,
  ),
  page(
    'JSON-LD of 100 000 levels',
    'data',
    `<script type="application/ld+json">${'['.repeat(100_000)}</script>x`,
  ),
  page('entities that a document type declares', 'data', `${entities}<p>&e9;`),
  {
    ...page(
      'an entity bomb in a feed',
      'data',
      `<?xml version="1.0"?>${entities}<rss><channel><title>&e9;</title></channel></rss>`,
    ),
    type: 'application/rss+xml',
  },
  {
    ...page('JSON of 100 000 levels', 'data', '['.repeat(100_000) + ']'.repeat(100_000)),
    type: 'application/json',
  },
  { ...page('UTF-16 without a mark', 'data', ''), content: Buffer.from('<p>text</p>', 'utf16le') },
  {
    ...page('NULs', 'data', ''),
    content: Buffer.concat([Buffer.from('<p>'), Buffer.alloc(1_000_000)]),
  },
  {
    ...page('bytes that are no UTF-8', 'data', ''),
    content: Buffer.alloc(2_000_000, 0xe2),
    type: 'text/html; charset=utf-8',
  },
  {
    ...page('a charset that does not exist', 'data', '<meta charset=nor-this><p>Grüße'),
    type: 'text/html; charset=no-such',
  },
  {
    ...page('a gzip bomb', 'RESPONSE_TOO_LARGE', ''),
    content: gzipSync(Buffer.alloc(60 * 2 ** 20)),
    encoding: 'gzip',
  },
  page('sibling selectors', 'data', rows, { x: { selector: 'div ~ div:has(b)', type: 'list' } }),
  page('the selector :has(~ …)', 'CONTENT_TOO_COMPLEX', '<i></i>'.repeat(20_000), {
    x: 'i:has(~ b)',
  }),
  page('nested predicates', 'CONTENT_TOO_COMPLEX', rows, { x: '//*[count(//*) > 5]' }),
  page('following axes', 'CONTENT_TOO_COMPLEX', rows, { x: '//*[following::*[preceding::x]]' }),
  page('repeated descendants', 'data', rows, { x: { selector: '//*//*//*', type: 'list' } }),
]

test('hostile content', async (t) => {
  const site = await startPageSite(t)
  const service = await startTestService(t, { environment: reachingLoopback })
  const [account, neighbour] = [await service.createAccount(), await service.createAccount()]
  site.page('/small', '<p>small</p>')

  for (const [at, { name, content, outcome, type, encoding, rules }] of contents.entries()) {
    await t.test(`${name}: ${outcome}, and a neighbour gets its page`, async () => {
      const path = `/hostile-${at}`
      site.page(path, (_, response) => {
        response.setHeader('content-type', type ?? 'text/html')
        if (encoding) response.setHeader('content-encoding', encoding)
        response.end(content)
      })

      const ended = extract(account, {
        url: site.url(path),
        formats: ['html', 'markdown', 'text', 'links', 'metadata'],
        only_main_content: at % 2 === 0,
        ...(rules && { extract_rules: rules }),
        timeout: 120_000,
        ...once,
      })
      await until(() => site.askedFor(path).length > 0)
      const small = await extracted(neighbour, { url: site.url('/small'), formats: ['text'] })
      const response = await ended

      assert.equal(small.data['text'], 'small')
      const isData = outcome.startsWith('data') && response.statusCode === 200
      const reason = isData ? 'data' : String(failureIn(response).error.details?.['reason'])
      assert.ok(outcome.split(' or ').includes(reason), reason)
    })
  }
})

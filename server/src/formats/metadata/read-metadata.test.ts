import assert from 'node:assert/strict'
import test from 'node:test'
import { PageMetadata } from '../../wire/extract/page-metadata.ts'
import { parsePage } from '../dom/page-document.ts'
import { readMetadata } from './read-metadata.ts'

const url = 'https://news.test/2021/story'
const read = (html: string) => PageMetadata.parse(readMetadata(parsePage(html, url)))
const ldJson = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value)}</script>`

test('a page that declares nothing has null and empty fields', () => {
  assert.deepEqual(read('<p>text</p>'), {
    title: null,
    description: null,
    canonical: null,
    language: null,
    author: null,
    published_time: null,
    modified_time: null,
    site_name: null,
    image: null,
    favicon: null,
    keywords: [],
    robots: null,
    feeds: [],
    open_graph: {},
    twitter: {},
    json_ld: [],
  })
})

test('a page with all declarations has all fields', () => {
  const article = {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    datePublished: '2021-03-04T10:00:00+01:00',
    dateModified: '2021-03-05',
    author: [{ '@type': 'Person', name: 'Ann Bee' }, { name: 'Cid  Dee' }],
  }

  const metadata = read(`<!doctype html><html lang="en-GB"><head>
    <title> A  story
      | News</title>
    <meta name="Description" content="What  happened.">
    <meta name="keywords" content="one, two,one, ">
    <meta name="robots" content="noindex, nofollow">
    <link rel="canonical" href="/canonical?a=1">
    <link rel="shortcut icon" href="/icon.png">
    <link rel="alternate" type="application/rss+xml" title="All" href="/rss">
    <link rel="alternate" type="application/atom+xml" href="/atom">
    <link rel="alternate" hreflang="de" href="/de">
    <meta property="og:title" content="A story">
    <meta property="og:site_name" content="News">
    <meta property="og:image" content="/one.jpg">
    <meta property="og:image" content="/two.jpg">
    <meta property="article:section" content="World">
    <meta name="twitter:card" content="summary">
    ${ldJson(article)}</head><body></body></html>`)

  assert.deepEqual(metadata, {
    title: 'A story | News',
    description: 'What happened.',
    canonical: 'https://news.test/canonical?a=1',
    language: 'en-GB',
    author: 'Ann Bee, Cid Dee',
    published_time: '2021-03-04T09:00:00.000Z',
    modified_time: '2021-03-05',
    site_name: 'News',
    image: 'https://news.test/one.jpg',
    favicon: 'https://news.test/icon.png',
    keywords: ['one', 'two'],
    robots: 'noindex, nofollow',
    feeds: [
      { url: 'https://news.test/rss', title: 'All', type: 'application/rss+xml' },
      { url: 'https://news.test/atom', title: null, type: 'application/atom+xml' },
    ],
    open_graph: {
      title: 'A story',
      site_name: 'News',
      image: '/one.jpg',
      'article:section': 'World',
    },
    twitter: { card: 'summary' },
    json_ld: [article],
  })
})

const published: [name: string, html: string, time: string | null][] = [
  [
    'JSON-LD comes before OpenGraph',
    `<meta property="article:published_time" content="2020-01-01">${ldJson({ '@type': 'BlogPosting', datePublished: '2021-01-01' })}`,
    '2021-01-01',
  ],
  [
    'the article is found inside a graph',
    ldJson({
      '@graph': [
        { '@type': 'WebSite', datePublished: '1999-01-01' },
        { '@type': ['Article', 'Thing'], datePublished: '2021-01-01' },
      ],
    }),
    '2021-01-01',
  ],
  [
    'OpenGraph comes before other meta tags',
    '<meta name="date" content="2019-01-01"><meta property="article:published_time" content="2020-01-01">',
    '2020-01-01',
  ],
  [
    'a date that cannot be read without guessing gives way to the next source',
    '<meta property="article:published_time" content="01/02/2020"><time pubdate datetime="2020-02-01">',
    '2020-02-01',
  ],
  [
    'microdata outside the head counts',
    '<span itemprop="datePublished" content="2020-02-02">x</span>',
    '2020-02-02',
  ],
  [
    'the first time inside the article counts',
    '<article><h1>x</h1><time datetime="2020-02-03">x</time><time datetime="2022-02-03">y</time></article>',
    '2020-02-03',
  ],
  [
    'times in lists, asides and comments are not the page’s own',
    '<article><ul><li><time datetime="2020-02-03">x</time></li></ul></article><time datetime="2020-02-04">y</time>',
    null,
  ],
]

for (const [name, html, time] of published) {
  test(`published time: ${name}`, () => {
    assert.equal(read(html).published_time, time)
  })
}

const authors: [name: string, html: string, author: string | null][] = [
  ['a plain meta tag', '<meta name="author" content="Ann">', 'Ann'],
  [
    'a profile’s URL is no name',
    '<meta property="article:author" content="https://x.test/a">',
    null,
  ],
  ['a link marked as author', '<a rel="author nofollow" href="/a"> Ann <b>Bee</b></a>', 'Ann Bee'],
  [
    'microdata with a name inside',
    '<div itemprop="author"><img><span itemprop="name">Ann</span> 4 posts</div>',
    'Ann',
  ],
]

for (const [name, html, author] of authors) {
  test(`author: ${name}`, () => {
    assert.equal(read(html).author, author)
  })
}

test('the title of an SVG image is not the title of the page', () => {
  assert.equal(read('<svg><title>Icon</title></svg><h1>Real</h1>').title, 'Real')
})

test('a language that is no language tag is ignored', () => {
  assert.equal(
    read('<html lang="English please"><meta property="og:locale" content="pt_BR">').language,
    'pt-BR',
  )
})

test('URLs refer to the base of the page, and others than http are left out', () => {
  const metadata = read(
    '<base href="https://cdn.test/"><link rel="icon" href="data:,x"><link rel="icon" href="i.png">',
  )
  assert.equal(metadata.favicon, 'https://cdn.test/i.png')
})

test('JSON-LD in a comment, with line breaks in strings or with a semicolon is read', () => {
  const blocks = ['<!-- {"a":1} -->', '{"b":"x\ny"}', '{"c":1};', '//<![CDATA[\n{"d":1}\n//]]>']

  const html = blocks.map((text) => `<script type="application/ld+json">${text}</script>`).join('')

  assert.deepEqual(read(html).json_ld, [{ a: 1 }, { b: 'x y' }, { c: 1 }, { d: 1 }])
})

test('JSON-LD that is broken, too deep or too large is left out', () => {
  const blocks = ['{"a":', '['.repeat(5_000) + ']'.repeat(5_000), `"${'x'.repeat(300_000)}"`, '{}']

  const html = blocks.map((text) => `<script type="application/ld+json">${text}</script>`).join('')

  assert.deepEqual(read(html).json_ld, [{}])
})

test('metadata is limited, however much the page declares', () => {
  const html = [
    `<title>${'t'.repeat(2 ** 20)}</title><meta name=description content="${'d'.repeat(10 * 2 ** 20)}">`,
    ...Array.from(
      { length: 20_000 },
      (_, i) => `<meta property="og:p${i}" content="${'x'.repeat(100)}">`,
    ),
    ...Array.from(
      { length: 2_000 },
      (_, i) => `<link rel=alternate type=application/rss+xml href=/${i}>`,
    ),
    ...Array.from({ length: 100 }, () => ldJson('x'.repeat(100_000))),
    `<meta name=keywords content="${Array.from({ length: 900 }, (_, i) => `k${i}`).join()}">`,
  ].join('')

  const metadata = read(html)

  assert.equal(metadata.title?.length, 5_000)
  assert.equal(metadata.description?.length, 5_000)
  assert.equal(metadata.feeds.length, 50)
  assert.ok(JSON.stringify(metadata).length < 2 * 2 ** 20)
})

test('a property named __proto__ is data', () => {
  const { open_graph } = read('<meta property="og:__proto__" content="x">')

  assert.equal(Object.getPrototypeOf(open_graph), Object.prototype)
})

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { linksMax, listLinks, readLinks } from './links.ts'
import { parsePage } from './page-document.ts'

const url = 'https://shop.test/a/b?c#d'
const linksOf = (html: string) => listLinks(parsePage(html, url))

const cases: [name: string, html: string, links: string[]][] = [
  [
    'links are absolute and in the order of the page',
    '<a href="/z">z</a><a href="y">y</a><a href="?q=1">x</a><a href="//other.test/w">w</a>',
    [
      'https://shop.test/z',
      'https://shop.test/a/y',
      'https://shop.test/a/b?q=1',
      'https://other.test/w',
    ],
  ],
  ['the areas of an image map are links', '<map><area href="/m"></map>', ['https://shop.test/m']],
  ['links inside an SVG image count', '<svg><a href="/s"></a></svg>', ['https://shop.test/s']],
  ['a nofollow link is listed', '<a rel="nofollow" href="/n">n</a>', ['https://shop.test/n']],
  [
    'relative links refer to the base of the page',
    '<base href="/base/"><a href="x">x</a>',
    ['https://shop.test/base/x'],
  ],
  [
    'a base that is no http URL is ignored',
    '<base href="javascript:0"><a href="x">x</a>',
    ['https://shop.test/a/x'],
  ],
  [
    'links of other schemes are left out',
    '<a href="mailto:a@b.test">1</a><a href="javascript:void(0)">2</a><a href="tel:1">3</a><a href="data:,x">4</a><a href=" JavaScript:x">5</a>',
    [],
  ],
  [
    'a URL that occurs several times, or in different spellings, is listed once',
    '<a href="/x">1</a><a href="/x">2</a><a href="https://SHOP.test:443/x">3</a><a href="./../x">4</a>',
    ['https://shop.test/x'],
  ],
  [
    'links that differ in their fragment alone are one URL',
    '<a href="/x#one">1</a><a href="/x#two">2</a><a href="/x">3</a>',
    ['https://shop.test/x'],
  ],
  [
    'a link to a place of the page itself is left out',
    '<a href="#top">top</a><a href="#">-</a>',
    [],
  ],
  [
    'a fragment that is the route of an application is kept',
    '<a href="#/users">1</a><a href="/app#!list">2</a>',
    ['https://shop.test/a/b?c#/users', 'https://shop.test/app#!list'],
  ],
  [
    'space around a URL and line breaks inside it are dropped, as browsers do',
    '<a href="\n /a\n/b\t ">1</a>',
    ['https://shop.test/a/b'],
  ],
  ['what is no URL is left out', '<a href="https://[">1</a><a href="http://">2</a><a>3</a>', []],
  [
    'a link inside a template is not part of the page',
    '<template><a href="/t"></a></template>',
    [],
  ],
]

for (const [name, html, links] of cases) {
  test(name, () => {
    assert.deepEqual(linksOf(html), links)
  })
}

const followCases: [name: string, html: string, paths: string[]][] = [
  ['a crawl follows plain links', '<a href="/x">x</a><map><area href="/y"></map>', ['/x', '/y']],
  [
    'a nofollow link is not followed',
    '<a rel="nofollow" href="/x">x</a><a href="/y">y</a>',
    ['/y'],
  ],
  ['nofollow may stand among other words', '<a rel="ugc NoFollow noopener" href="/x">x</a>', []],
  ['a nofollow area is not followed', '<map><area rel="nofollow" href="/x"></map>', []],
  ['ugc and sponsored links are followed', '<a rel="ugc sponsored" href="/x">x</a>', ['/x']],
  [
    'a word that begins with nofollow is another word',
    '<a rel="nofollows" href="/x">x</a>',
    ['/x'],
  ],
  [
    'a URL is followed where only some of its links are nofollow',
    '<a rel="nofollow" href="/x">1</a><a href="/x">2</a><a href="/y">3</a><a rel="nofollow" href="./../y">4</a>',
    ['/x', '/y'],
  ],
  [
    'a page may forbid to follow any link',
    '<meta name="robots" content="noindex, nofollow"><a href="/x">x</a>',
    [],
  ],
  ['none forbids to follow links', '<meta name="Robots" content="none"><a href="/x">x</a>', []],
  [
    'a page may forbid it to us alone',
    '<meta name="trawl" content="nofollow"><a href="/x">x</a>',
    [],
  ],
  [
    'what a page tells another robot is for that robot',
    '<meta name="otherbot" content="nofollow"><a href="/x">x</a>',
    ['/x'],
  ],
  [
    'a page that is not to be indexed has links to follow',
    '<meta name="robots" content="noindex"><a href="/x">x</a>',
    ['/x'],
  ],
  [
    'a meta in the body counts too',
    '<body><a href="/x">x</a><meta name="robots" content="nofollow">',
    [],
  ],
]

for (const [name, html, paths] of followCases) {
  test(name, () => {
    assert.deepEqual(
      readLinks(parsePage(html, url)).followable,
      paths.map((path) => `https://shop.test${path}`),
    )
  })
}

test('the response may forbid to follow the links of a page, which are listed all the same', () => {
  const page = parsePage('<a href="/x">x</a>', url)

  assert.deepEqual(readLinks(page, ['noindex, nofollow']), {
    links: ['https://shop.test/x'],
    followable: [],
  })
  assert.deepEqual(readLinks(page, ['otherbot: nofollow']).followable, ['https://shop.test/x'])
})

test('a URL that is megabytes long is left out', () => {
  assert.deepEqual(linksOf(`<a href="/${'x'.repeat(10 * 2 ** 20)}">x</a><a href="/y">y</a>`), [
    'https://shop.test/y',
  ])
})

test('the list of links is limited', () => {
  const html = Array.from({ length: linksMax + 10 }, (_, index) => `<a href=/${index}></a>`).join(
    '',
  )

  assert.equal(linksOf(html).length, linksMax)
})

test('the list of links is limited in size too', () => {
  const html = Array.from(
    { length: 2_000 },
    (_, index) => `<a href=/${index}${'x'.repeat(5000)}></a>`,
  )

  assert.equal(linksOf(html.join('')).join('').length <= 4 * 2 ** 20, true)
})

test('whatever the references are, each link is an absolute http URL and occurs once', () => {
  const reference = fc.oneof(
    fc.webUrl(),
    fc.webPath(),
    fc.string(),
    fc.constantFrom('#', '?', '//'),
  )
  fc.assert(
    fc.property(fc.array(reference, { maxLength: 30 }), (references) => {
      const escaped = references.map((one) =>
        one.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
      )
      const links = linksOf(escaped.map((one) => `<a href="${one}">x</a>`).join('\n'))

      assert.equal(new Set(links).size, links.length)
      for (const link of links) assert.equal(new URL(link).href, link)
      for (const link of links) assert.match(link, /^https?:\/\//)
    }),
  )
})

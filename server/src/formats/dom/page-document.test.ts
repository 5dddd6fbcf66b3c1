import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../domain/failure.ts'
import { isElement, nodesIn } from './dom.ts'
import { parsePage } from './page-document.ts'

const url = 'https://example.com/a/b.html'

const bases: [name: string, html: string, expected: string][] = [
  ['a page without a base resolves links against its own URL', '<p>x', url],
  [
    'a relative base is resolved against the URL of the page',
    '<base href="/c/"><p>x',
    'https://example.com/c/',
  ],
  [
    'the first base with an href counts',
    '<base target=x><base href="/1"><base href="/2">',
    'https://example.com/1',
  ],
  ['a base that is not a web address is ignored', '<base href="javascript:alert(1)">', url],
  ['a base that is no URL is ignored', '<base href="http://[">', url],
]

for (const [name, html, expected] of bases) {
  test(name, () => {
    assert.equal(parsePage(html, url).baseUrl, expected)
  })
}

test('an empty page is a document with an empty body', () => {
  assert.equal(parsePage('', url).document.body?.firstChild, null)
})

const distinct = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join('')

const refused: [name: string, html: string][] = [
  ['a million elements', '<p>x</p>'.repeat(1_000_000)],
  ['a million elements without end tags', '<br>'.repeat(1_000_000)],
  ['100 000 levels of nesting', '<div>'.repeat(100_000)],
  ['100 000 levels of inline elements', '<span>'.repeat(100_000)],
  ['nesting behind end tags without effect', '<span><div></span>'.repeat(50_000)],
  ['nesting in list items', '<ul><li>'.repeat(50_000)],
  ['nesting in tables', '<table><tr><td>'.repeat(50_000)],
  ['nesting in noscript', `<body><noscript>${'<div>'.repeat(100_000)}`],
  ['nesting in SVG', `<svg>${'<g>'.repeat(100_000)}`],
  ['a hundred thousand attributes on one tag', `<p ${distinct(100_000, (i) => ` a${i}`)}>x`],
  ['a thousand attributes on many html tags', distinct(1_000, (i) => `<html a${i}>`)],
  ['a thousand attributes on many body tags', `<body>${distinct(1_000, (i) => `<body a${i}>`)}`],
  [
    '1 400 levels of nesting and 100 000 elements inside',
    `${'<div>'.repeat(1_400)}${'<p>x</p>'.repeat(100_000)}`,
  ],
  ['100 000 levels of links around blocks', '<a><div>'.repeat(100_000)],
  [
    'open formatting that each paragraph repeats',
    `<p>${distinct(1000, (i) => `<b id=${i}>`)}</p>${'<p>x'.repeat(10_000)}`,
  ],
]

for (const [name, html] of refused) {
  test(`a page with ${name} is refused as too complex`, () => {
    assert.throws(
      () => parsePage(html, url),
      (error) => error instanceof Failure && error.code === 'CONTENT_TOO_COMPLEX',
    )
  })
}

const accepted: [name: string, html: string][] = [
  ['many document types', '<!doctype html>'.repeat(100_000)],
  ['many paragraphs that are never closed', '<p>x'.repeat(20_000)],
  ['many list items that are never closed', `<ul>${'<li>x'.repeat(20_000)}</ul>`],
  ['a long table without end tags', `<table>${'<tr><td>x<td>y'.repeat(10_000)}</table>`],
  ['many definitions without end tags', `<dl>${'<dt>x<dd>y'.repeat(10_000)}</dl>`],
  [
    'tags inside comments, scripts and attributes',
    `<!--${'<div>'.repeat(3000)}--><script>${'"<div>"'.repeat(3000)}</script><p title="${'<div>'.repeat(3000)}">x`,
  ],
  ['many self-closing shapes in SVG', '<svg><path d="x"/></svg>'.repeat(5_000)],
  ['a font that is opened in every paragraph and never closed', '<p><font size=2>x'.repeat(300)],
  ['many links that are never closed', distinct(20_000, (i) => `<a href=/${i}>x `)],
  ['many items with links that are never closed', `<ul>${'<li><a href=/x>y'.repeat(20_000)}`],
  ['a thousand levels of nesting', '<div>'.repeat(1_000)],
  ['a tag that never ends', `<p>x<a href="${'y'.repeat(100_000)}`],
]

for (const [name, html] of accepted) {
  test(`a page with ${name} is read`, () => {
    assert.ok(parsePage(html, url).document.body)
  })
}

test('a link that is never closed ends where the next one begins', () => {
  const { document } = parsePage(
    distinct(20_000, (i) => `<a href=/${i}>x `),
    url,
  )

  const links = [...nodesIn(document)]
    .filter(isElement)
    .filter(({ localName }) => localName === 'a')

  assert.equal(links.length, 20_000)
  assert.equal(links[19_999]?.parentElement, document.body)
})

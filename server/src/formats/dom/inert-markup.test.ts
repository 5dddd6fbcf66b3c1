import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inertMarkup } from './inert-markup.ts'

test('an ordinary page stays as it is', () => {
  const page = `<!doctype html><html lang=de><head><title>Cod</title><style>p > a { top: 1px }</style></head>
    <body><!-- a --><MAIN><p>1 < 2 <b>&lt;link&gt;</b> <my-card><svg><linearGradient/></svg></my-card></MAIN>`

  assert.equal(inertMarkup(page), page)
})

const inert: [markup: string, shown: string][] = [
  ['<link rel=preconnect href=//a>', '<bgsound rel=preconnect href=//a>'],
  ['<LINK rel="none" rel=preconnect>', '<bgsound rel="none" rel=preconnect>'],
  ['<link/rel=dns-prefetch>', '<bgsound/rel=dns-prefetch>'],
  ['<link\trel=a></link>', '<bgsound\trel=a></bgsound>'],
  ['<link', '<bgsound'],
  ['<meta http-equiv=refresh>', '<bgsound http-equiv=refresh>'],
  ['<base href=//a>', '<bgsound href=//a>'],
  ['<p title="<link rel=preconnect>">', '<p title="<bgsound rel=preconnect>">'],
  ['<!--><link rel=preconnect>-->', '<!--><bgsound rel=preconnect>-->'],
  ['<style><link></style>', '<style><bgsound></style>'],
  ['<svg><style><link></style></svg>', '<svg><style><bgsound></style></svg>'],
  ['<<link>', '<<bgsound>'],
  ['<li<link>nk>', '<li<bgsound>nk>'],
  ['<iframe src=//a></iframe>', '<x-iframe src=//a></x-iframe>'],
  ['<object data=//a>else</object>', '<x-object data=//a>else</x-object>'],
  ['<portal src=//a></portal>', '<x-portal src=//a></x-portal>'],
]

for (const [markup, shown] of inert) {
  test(`nothing connects for ${markup}`, () => {
    assert.equal(inertMarkup(markup), shown)
  })
}

test('a large page is read in one pass', () => {
  const tags = 200_000

  assert.equal(inertMarkup('<link'.repeat(tags)), '<bgsound'.repeat(tags))
})

import assert from 'node:assert/strict'
import test from 'node:test'
import { readSelector } from './selector.ts'

const good = [
  'h1',
  'a@href',
  'img[alt="a@b"] @data-src',
  '@href',
  '*',
  'div:has(> p):not(.x, .y) ~ ul li:nth-child(2n + 1)',
  ':is(h1, h2):where(.a)',
  `${':is('.repeat(10)}p${')'.repeat(10)}`,
  'ul > [data-id]',
  '[class*="x"] ~ [id*="y"], p + [hidden]',
  'p:contains("Total")',
  '> li',
  ':scope > li',
  '//p',
  './a/@href',
  '(//a)[1]',
  '/',
  '//p[@class="x" and position() < 3]/text()',
  '//a[contains(@href, "x")] | //b',
  '//*[self::h1 or self::h2][last() - 1]',
  '//div/mod/and[or]/div',
  '(count(//p) + 1) * 2',
  '//a/following-sibling::*[1]/..',
]

for (const text of good) {
  test(`the selector ${text} is accepted`, () => {
    assert.doesNotThrow(() => readSelector(text))
  })
}

const bad: [text: string, reason: RegExp][] = [
  ['', /empty/],
  ['   ', /empty/],
  ['p[', /found the end/],
  ['div >', /combinator/],
  ['div > , p', /combinator/],
  ['p,,a', /sub-selector/i],
  [`${':is('.repeat(11)}p${')'.repeat(11)}`, /nested more than 10 levels deep/],
  ['p:no-such', /Unknown pseudo-class :no-such/],
  ['p::before', /Pseudo-elements are not supported$/],
  ['a@href b', /unexpected '@'/],
  ['p { color: red }', /unexpected '{'/],
  ['count(//p)', /./],
  ['//', /unexpected end/],
  ['//p[', /unexpected end/],
  ['//p[1', /unexpected end, expected ']'/],
  ['//p]', /unexpected ']' at 4/],
  ['//svg:rect', /prefixes are not supported, at 3/],
  ['//$x', /unexpected '\$' at 3/],
  ['//p[$x = 1]', /variables are not supported, at 5/],
  ['//p[no-such(.)]', /unknown function no-such\(\) at 5/],
  ['//p[contains(.)]', /wrong number of arguments of contains\(\) at 5/],
  ['//sideways::p', /unknown axis sideways at 3/],
  ['//p[. = "x]', /unexpected character at 9/],
  [`${'('.repeat(1_000)}1${')'.repeat(1_000)}`, /nested too deeply/],
]

for (const [text, reason] of bad) {
  test(`the selector ${text.slice(0, 30)} is refused with its reason`, () => {
    assert.throws(() => readSelector(text), { name: 'SyntaxError', message: reason })
  })
}

test('the attribute at the end of a CSS selector is taken off in lower case', () => {
  assert.deepEqual(readSelector('a.x @HREF'), { kind: 'css', css: 'a.x', attribute: 'href' })
})

test('reading a selector of 4,096 characters that nests as deep as it can ends', () => {
  for (const text of [
    ':not('.repeat(800),
    '['.repeat(4_096),
    '-'.repeat(4_095),
    '/a'.repeat(2_048),
  ]) {
    try {
      readSelector(text)
    } catch (error) {
      assert.ok(error instanceof SyntaxError)
    }
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'parse5'
import { parseHtml, toHtml, treeAdapter } from './parse-html.ts'

/** What parse5 makes of it by itself. */
const ordinary = (html: string) => parse(html, { treeAdapter, scriptingEnabled: false })

const shown = (document: ReturnType<typeof parseHtml>): string =>
  document.documentElement ? toHtml(document.documentElement) : ''

const pieces = [
  ...'<>/!?-=&;#"\'x A\n\t\r\f\0',
  '</',
  '<!--',
  '-->',
  '--!>',
  '<!',
  ']]>',
  '<![CDATA[',
  '<!DOCTYPE html>',
  '<!doctype html public "-//W3C//DTD HTML 3.2//EN">',
  '<!doctype',
  '&amp;',
  '&amp',
  '&notit;',
  '&#13;',
  '&#32;',
  '&#0;',
  '&#x80;',
  '&lt',
  '<a href=',
  '<a href="/x?a=1&copy=2&lt">',
  '<b>',
  '</b>',
  '<p class=y ID=1 id=2 / x>',
  '<table>',
  '<tr><td>',
  '</table>',
  '<select><option>',
  '<svg viewBox=1>',
  '<foreignObject>',
  '<math><mi xlink:href=1>',
  '</svg>',
  '<br/>',
  '<textarea>',
  '</textarea',
  '<pre>',
  '<title>',
  '</title>',
  '<script>',
  '</script>',
  '</SCRIPT ',
  '<style>',
  '</style/>',
  '<noscript>',
  '<iframe>',
  '</iframe>',
  '<xmp>',
  '<plaintext>',
  '<template>',
  '</template>',
  '<body a=1>',
  '<html b=2>',
  '<İK\u212a>',
  '\ud83d\ude00',
  '\ud800',
]

test('any markup gives the same tree as with the ordinary tokenizer of parse5', () => {
  const markup = fc
    .array(fc.constantFrom(...pieces), { maxLength: 25 })
    .map((some) => some.join(''))
  fc.assert(
    fc.property(markup, (html) => {
      assert.equal(shown(parseHtml(html)), shown(ordinary(html)))
    }),
    { numRuns: 3_000 },
  )
})

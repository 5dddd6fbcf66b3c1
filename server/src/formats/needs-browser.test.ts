import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedPages } from '../../test/support/scripted-pages.ts'
import { staticPages } from '../../test/support/static-pages.ts'
import { judgePage } from './needs-browser.ts'

const judge = (html: string, headers: Record<string, string> = {}) =>
  judgePage({ headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, text: html })

for (const { name, verdict, html, headers } of scriptedPages) {
  test(`a page needs a browser: ${name}`, () => {
    assert.equal(judge(html, headers), verdict)
  })
}

for (const { name, html, headers } of staticPages) {
  test(`a page needs no browser: ${name}`, () => {
    assert.equal(judge(html, headers), 'static')
  })
}

test('without a content type the content decides', () => {
  const shell = '<!DOCTYPE html><div id="root"></div><script src="/app.js"></script>'

  assert.equal(judgePage({ headers: {}, text: shell }), 'empty_app_root')
  assert.equal(judgePage({ headers: {}, text: `{"html": ${JSON.stringify(shell)}}` }), 'static')
})

test('a page of an application is recognised however large its styles and data are', () => {
  const styles = `<style>${'a{b:c}'.repeat(100_000)}</style>`
  const data = `<script type="application/json">"${'x'.repeat(500_000)}"</script>`

  assert.equal(
    judge(`${styles}<div id=root></div>${data}<script src=/app.js></script>`),
    'empty_app_root',
  )
})

test('a page that ends within a script is judged by what there is of it', () => {
  assert.equal(judge('<title>App</title><script>start({'), 'script_shell')
})

/** Markup that would take a careless scanner quadratic time or a deep stack. */
const hostile: Record<string, string> = {
  'a million elements': '<div>'.repeat(1_000_000),
  'a million roots': '<div id="root">'.repeat(1_000_000),
  'a million unclosed comments': '<!--'.repeat(1_000_000),
  'a million unclosed scripts': '<script>'.repeat(1_000_000),
  'a million noscript elements': '<noscript><'.repeat(1_000_000),
  'a million tags without an end in noscript': `<noscript>${'<'.repeat(1_000_000)}`,
  'a million angle brackets': '<'.repeat(2_000_000),
  'a tag that never ends': `<div ${'a="b" '.repeat(500_000)}`,
  'quotes that never end': `<div a="${'b'.repeat(1_000_000)}`.repeat(2),
  'unclosed quotes in many tags': `<a b="c>`.repeat(300_000),
  'a name of a million characters': `<${'a'.repeat(1_000_000)} ${'b'.repeat(1_000_000)}>`,
  'an id of a million parts': `<div id="${'a-'.repeat(500_000)}!">`,
  'spaces before an equals sign': `<div a${' '.repeat(1_000_000)}b>`,
  'a million spaces in a script': `<script>location${' '.repeat(1_000_000)}</script>`,
  'entities alone': '&nbsp;'.repeat(500_000),
  'end tags alone': '</div>'.repeat(500_000),
  'half a surrogate': '\ud83d'.repeat(400),
}

for (const [name, html] of Object.entries(hostile)) {
  test(`hostile markup is judged: ${name}`, () => {
    assert.equal(typeof judge(html), 'string')
  })
}

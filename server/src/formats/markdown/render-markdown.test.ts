import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render-markdown.ts'

test('markdown of every kind that pages become is rendered', () => {
  const rendered = renderMarkdown(
    '# Cod\n\nA *fish* of **the** `sea`, ~~land~~.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\n1 < 2\n```\n',
  )

  for (const part of [
    '<h1>Cod</h1>',
    '<em>fish</em> of <strong>the</strong> <code>sea</code>, <s>land</s>',
    '<li>a</li>',
    '<td>2</td>',
    '1 &lt; 2',
  ]) {
    assert.ok(rendered.includes(part), `${part} in ${rendered}`)
  }
})

const hostile = [
  '<script>alert(1)</script>',
  'text <img src=x onerror=alert(1)> text',
  '<svg/onload=alert(1)>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<!-- --><script>alert(1)</script>',
  '<![CDATA[<script>alert(1)</script>]]>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](java&#115;cript:alert(1))',
  '[a](java&Tab;script:alert(1))',
  '[a](<javascript:alert(1)>)',
  '[a](vbscript:msgbox(1))',
  '[a](data:text/html;base64,PHNjcmlwdD4=)',
  '![a](data:image/svg+xml;base64,PHN2Zz4=)',
  '![a](javascript:alert(1))',
  '[a]: javascript:alert(1)\n\n[a]',
  '<javascript:alert(1)>',
  '[a](http://a.test/"onmouseover="alert(1))',
  '![a" onerror="alert(1)](http://a.test/b.png)',
  '[a](http://a.test/ "b\\" onmouseover=\\"alert(1)")',
  '```"><script>alert(1)</script>\ncode\n```',
  '`<script>alert(1)</script>`',
  '| <script>alert(1)</script> |\n|---|\n| <b onclick=alert(1)> |',
  '# <script>alert(1)</script>',
]

// What is left of a vector is text: outside of the renderer's own tags there is no `<`.
const ownTag =
  /<\/?(?:p|h1|a|img|code|pre|table|thead|tbody|tr|th|td|em|strong)(?: (?:href|src|alt|title|class)="[^"<>]*")*\s*\/?>/g

for (const markdown of hostile) {
  test(`no markup and no script comes through markdown: ${JSON.stringify(markdown)}`, () => {
    const rendered = renderMarkdown(markdown)

    assert.doesNotMatch(rendered.replace(ownTag, ''), /</)
    for (const [, url = ''] of rendered.matchAll(/(?:href|src)="([^"]*)"/g)) {
      assert.match(url, /^https?:/)
    }
  })
}

test('markdown does not grow: a long definition is not repeated for each link to it', () => {
  const url = `http://a.test/${'x'.repeat(1_000)}`

  const rendered = renderMarkdown(`[a]: ${url}\n\n${'[a] ![a] '.repeat(1_000)}`)

  assert.equal(rendered.split(url).length - 1, 1)
})

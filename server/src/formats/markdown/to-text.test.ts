import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { toText } from './to-text.ts'

const textOf = (html: string): string => {
  const { body } = parsePage(html, 'https://example.com/').document
  return body ? toText(body, 'https://example.com/') : ''
}

const cases: [name: string, html: string, text: string][] = [
  [
    'paragraphs have an empty line between them',
    '<p>One\n two</p><p>Three</p>',
    'One two\n\nThree',
  ],
  [
    'inline elements do not split words',
    '<p>un<b>believ</b>able <i>truth</i></p>',
    'unbelievable truth',
  ],
  [
    'spaces between inline elements stay',
    '<p><b>One</b> <i>two</i>\n<u>three</u></p>',
    'One two three',
  ],
  ['list items are on lines of their own', '<ul><li>One<li>Two</ul>', 'One\nTwo'],
  ['a line break is a line break', '<p>One<br>two<br><br>three</p>', 'One\ntwo\n\nthree'],
  [
    'table cells are separated by tabs',
    '<table><tr><th>A<th>B<tr><td>1<td>2</table>',
    'A\tB\n1\t2',
  ],
  [
    'preformatted text keeps its white space',
    '<p>a</p><pre>x\n  y</pre><p>b</p>',
    'a\n\nx\n  y\n\nb',
  ],
  ['entities are decoded', '<p>a &amp; b&nbsp;c &lt;</p>', 'a & b\u00a0c <'],
  ['blocks side by side do not run together', '<div>One</div><div>Two</div>', 'One\nTwo'],
  [
    'scripts, styles, templates and form fields have no text',
    '<p>a<script>b()</script><style>c{}</style></p><template>d</template><noscript>e</noscript><textarea>f</textarea>',
    'a',
  ],
  [
    'hidden elements have no text',
    '<p>a</p><p hidden>b</p><p aria-hidden=true>c</p><p style="color:red; display: none">d</p><p class=sr-only>e</p>',
    'a',
  ],
  [
    'line numbers beside code and its language are no text',
    '<div class=highlight><span>js</span><table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre><code class=language-js>a()\nb()</code></pre></table></div>',
    'a()\nb()',
  ],
  [
    'a permalink beside a heading is no text',
    '<h2>Use<a class=anchor href="#use">#</a></h2><p>a</p>',
    'Use\n\na',
  ],
  [
    'a reference to a footnote stands in brackets and the link back is left out',
    '<p>a<sup><a href="#fn1" id=fnref1>1</a></sup></p><ol class=footnotes><li id=fn1>b <a href="#fnref1">↩</a></ol>',
    'a[1]\n\nb',
  ],
  [
    'a formula is written in TeX',
    '<p>a <math alttext="x^2"><msup><mi>x</mi><mn>2</mn></msup></math> b</p>',
    'a x^2 b',
  ],
  [
    'elements side by side are apart by a space',
    '<div><span>Ann Lee</span><span>3 May</span></div>',
    'Ann Lee 3 May',
  ],
  ['an empty page has no text', '', ''],
  ['right-to-left text keeps its order', '<p>شكرا <b>لك</b></p>', 'شكرا لك'],
]

for (const [name, html, text] of cases) {
  test(name, () => {
    assert.equal(textOf(html), text)
  })
}

test('the text of a deeply nested page is read without recursion', () => {
  assert.equal(textOf(`${'<div>'.repeat(1_400)}x`), 'x')
})

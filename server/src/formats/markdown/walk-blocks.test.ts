import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { toMarkdown } from './to-markdown.ts'

function convert(html: string): string {
  const { document, baseUrl } = parsePage(html, 'https://site.example/dir/page')
  assert.ok(document.body)
  return toMarkdown(document.body, baseUrl)
}

/** Each case is a sentence, the HTML, and the lines of its markdown. */
type Case = [name: string, html: string, ...lines: string[]]

const cases: Record<string, Case[]> = {
  images: [
    [
      'late images are found',
      '<p><img src="data:image/gif;base64,x" data-src="/a.jpg" alt="A"><img src="/placeholder.png" srcset="/s.jpg 300w, /l.jpg 900w"></p>',
      '![A](https://site.example/a.jpg)![](https://site.example/l.jpg)',
    ],
    [
      'the fallback stands for an image without address',
      '<p><img src="data:x"><noscript><img src="/a.jpg" alt="A"></noscript></p>',
      '![A](https://site.example/a.jpg)',
    ],
    [
      'the fallback does not repeat an image',
      '<p><img src="/a.jpg"><noscript><img src="/a.jpg"></noscript></p>',
      '![](https://site.example/a.jpg)',
    ],
    [
      'data addresses and pixels are left out',
      '<p>a<img src="data:image/png;base64,x"><img src="/t.gif" width="1" height="1"></p>',
      'a',
    ],
    [
      'a picture takes its image or its source',
      '<picture><source srcset="/a.webp 1x"><img alt="A"></picture>',
      '![A](https://site.example/a.webp)',
    ],
    [
      'captions follow their figure',
      '<figure><img src="/a.png" alt=""><figcaption>cap</figcaption></figure>',
      '![](https://site.example/a.png)',
      '',
      'cap',
    ],
    ['emoji images are text', '<p><img class="emoji" alt="😀" src="/e.png"></p>', '😀'],
  ],
  lists: [
    [
      'lists nest and keep their start',
      '<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>',
      '3. a',
      '   - b',
      '4. c',
    ],
    [
      'a list directly in a list belongs to the item before',
      '<ul><li>a</li><ul><li>b</li></ul></ul>',
      '- a',
      '  - b',
    ],
    [
      'tasks have boxes',
      '<ul><li><input type="checkbox" checked> a</li><li><label><input type="checkbox"> b</label></li></ul>',
      '- [x] a',
      '- [ ] b',
    ],
    ['two lists in a row stay two', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a', '', '* b'],
    [
      'blocks in items are indented',
      '<ol><li><p>a</p><pre>b</pre></li></ol>',
      '1. a',
      '',
      '   ```',
      '   b',
      '   ```',
    ],
    ['an impossible start is 1', '<ol start="99999999999"><li>a</li></ol>', '1. a'],
    ['items without a list are a list', '<li>a</li><li>b</li>', '- a', '- b'],
    ['terms are bold paragraphs', '<dl><dt>a</dt><dd>b</dd></dl>', '**a**', '', 'b'],
    [
      'quotes nest',
      '<blockquote><p>a</p><blockquote>b</blockquote></blockquote>',
      '> a',
      '>',
      '> > b',
    ],
    [
      'admonitions are quotes',
      '<div class="admonition note"><p class="admonition-title">Note</p><p>a</p></div>',
      '> **Note**',
      '>',
      '> a',
    ],
    [
      'alerts of GitHub keep their kind',
      '<div class="markdown-alert markdown-alert-tip"><p class="markdown-alert-title">Tip</p><p>a</p></div>',
      '> [!TIP]',
      '> a',
    ],
    [
      'details show their summary',
      '<details><summary>a</summary><p>b</p></details>',
      '**a**',
      '',
      'b',
    ],
  ],
  tables: [
    [
      'header cells make a header',
      '<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table>',
      '| a | b\\|c |',
      '| --- | --- |',
      '| 1 | 2 |',
    ],
    [
      'a table without header cells has an empty header',
      '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
      '|  |  |',
      '| --- | --- |',
      '| a | b |',
      '| c | d |',
    ],
    [
      'a first row in bold is a header',
      '<table><tr><td><b>a</b></td><td><b>b</b></td></tr><tr><td>c</td><td>d</td></tr></table>',
      '| a | b |',
      '| --- | --- |',
      '| c | d |',
    ],
    [
      'spans leave empty cells',
      '<table><tr><th colspan="2">a</th><th>b</th></tr><tr><td rowspan="2">c</td><td>d</td><td>e</td></tr><tr><td>f</td><td>g</td></tr></table>',
      '| a |  | b |',
      '| --- | --- | --- |',
      '| c | d | e |',
      '|  | f | g |',
    ],
    [
      'blocks in cells are in one line',
      '<table><tr><th>a</th><th>b</th></tr><tr><td><p>c</p><p>d</p></td><td><ul><li>e</li><li>f</li></ul></td></tr></table>',
      '| a | b |',
      '| --- | --- |',
      '| c<br>d | - e<br>- f |',
    ],
    [
      'a caption stands before its table',
      '<table><caption>cap</caption><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>',
      'cap',
      '',
      '| a | b |',
      '| --- | --- |',
      '| c | d |',
    ],
    [
      'alignment is kept',
      '<table><tr><th align="right">a</th><th style="text-align:center">b</th></tr><tr><td>c</td><td>d</td></tr></table>',
      '| a | b |',
      '| --: | :-: |',
      '| c | d |',
    ],
    [
      'tables for layout are no tables',
      '<table role="presentation"><tr><td>a</td><td>b</td></tr></table><table><tr><td><h2>c</h2></td><td>d</td></tr><tr><td>e</td><td>f</td></tr></table>',
      'a',
      '',
      'b',
      '',
      '## c',
      '',
      'd',
      '',
      'e',
      '',
      'f',
    ],
    [
      'a table around a table is layout',
      '<table><tr><td>a</td><td><table><tr><th>b</th><th>c</th></tr><tr><td>d</td><td>e</td></tr></table></td></tr><tr><td>f</td><td>g</td></tr></table>',
      'a',
      '',
      '| b | c |',
      '| --- | --- |',
      '| d | e |',
      '',
      'f',
      '',
      'g',
    ],
  ],
  formulas: [
    [
      'annotations of MathML are the source',
      '<p>a <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></p>',
      'a $x_1$',
    ],
    [
      'KaTeX counts once',
      '<p><span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x2</span></span></p>',
      '$x^2$',
    ],
    [
      'display formulas are blocks',
      '<p>a<script type="math/tex; mode=display">x \\in y</script>b</p>',
      'a',
      '',
      '$$x \\in y$$',
      '',
      'b',
    ],
    [
      'raw formulas are not escaped',
      '<p>\\(a_b*c*\\) and $x_{1}$ for $5 or $6</p>',
      '$a_b*c*$ and $x_{1}$ for $5 or $6',
    ],
    [
      'MathML without source is written as TeX',
      '<p><math><mfrac><mn>1</mn><msup><mi>x</mi><mn>2</mn></msup></mfrac></math></p>',
      '$\\frac{1}{x^2}$',
    ],
    [
      'images of formulas are formulas',
      '<p><img class="latex" alt="x^2" src="/l.png"> <img src="https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D"></p>',
      '$x^2$ $\\frac{a}{b}$',
    ],
    ['prices are no formulas', '<p>$5_000 or $6</p>', '$5_000 or $6'],
  ],
}

for (const [topic, listed] of Object.entries(cases)) {
  for (const [name, html, ...lines] of listed) {
    test(`markdown of ${topic}: ${name}`, () => {
      const markdown = convert(html)

      assert.equal(markdown, lines.length === 0 ? '' : `${lines.join('\n')}\n`)
    })
  }
}

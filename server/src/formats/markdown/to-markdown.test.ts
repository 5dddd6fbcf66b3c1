import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parsePage } from '../dom/page-document.ts'
import { toHtml } from '../dom/parse-html.ts'
import { toMarkdown } from './to-markdown.ts'

function convert(html: string): string {
  const { document, baseUrl } = parsePage(html, 'https://site.example/dir/page')
  assert.ok(document.body)
  return toMarkdown(document.body, baseUrl)
}

/** Each case is a sentence, the HTML, and the lines of its markdown. */
type Case = [name: string, html: string, ...lines: string[]]

const cases: Record<string, Case[]> = {
  text: [
    ['a page without text gives nothing', '<div> </div><p></p><h2></h2><ul><li></li></ul>'],
    ['white space collapses', '<p> a\n\t b&nbsp;&nbsp;c </p>', 'a b c'],
    ['text between blocks is a paragraph', 'a<p>b</p>c', 'a', '', 'b', '', 'c'],
    ['a line break is a hard break', '<p>a<br>b</p>', 'a  ', 'b'],
    ['two line breaks start a paragraph', '<p><b>a<br><br>b</b></p>', '**a**', '', '**b**'],
    ['invisible characters are removed', '<p>hy\u00adphen\u200b</p>', 'hyphen'],
    [
      'scripts, styles, templates and hidden text are left out',
      '<p>a<script>x</script><style>x</style><template>x</template><span hidden>x</span><span style="display: none">x</span><span class="sr-only">x</span><i aria-hidden="true">x</i></p>',
      'a',
    ],
    ['streamed parts of a page are shown', '<div hidden id="S:0"><p>a</p></div>', 'a'],
    ['labels of tabs are left out', '<ul role="tablist"><li>b</li></ul><p>a</p>', 'a'],
    [
      'boxes in a row are apart',
      '<div><span>Ann Lee</span><time>May 3</time></div>',
      'Ann Lee May 3',
    ],
    ['quotations get their signs', '<p><q>a</q></p>', '“a”'],
    [
      'readings follow their characters in brackets',
      '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>',
      '漢(かん)',
    ],
    [
      'pre-wrapped text keeps its line breaks',
      '<div style="white-space: pre-wrap">a\nb</div>',
      'a  ',
      'b',
    ],
  ],
  marks: [
    ['spaces move out of marks', '<p>a<b> b </b>c<i>d </i>e</p>', 'a **b** c*d* e'],
    ['marks around nothing disappear', '<p>a<b> </b><i></i>b</p>', 'a b'],
    ['adjacent marks of one kind become one', '<p><b>a</b><b>b</b></p>', '**ab**'],
    ['nested marks of one kind count once', '<p><b>a<strong>b</strong></b></p>', '**ab**'],
    ['adjacent marks of two kinds stay apart', '<p><b>a</b><i>b</i></p>', '**a**_b_'],
    ['punctuation leaves a mark that a word follows', '<p><b>Note:</b>text</p>', '**Note**:text'],
    ['brackets leave a mark in text without spaces', '<p>は<b>「字」</b>の</p>', 'は「**字**」の'],
    ['deleted text is struck', '<p><del>a</del> <s>b</s></p>', '~~a~~ ~~b~~'],
    [
      'indices keep their tags',
      '<p>x<sup>2</sup> H<sub>2</sub>O</p>',
      'x<sup>2</sup> H<sub>2</sub>O',
    ],
    ['ordinals are plain', '<p>1<sup>st</sup></p>', '1st'],
    ['keys are code', '<p><kbd>Ctrl</kbd></p>', '`Ctrl`'],
    [
      'styles of spans count',
      '<p><span style="font-weight:700">a</span> <span style="font-style:italic">b</span></p>',
      '**a** *b*',
    ],
    ['a b element with normal weight is plain', '<b style="font-weight:normal"><p>a</p></b>', 'a'],
  ],
  escaping: [
    [
      'starts of lines are escaped',
      '<p># a</p><p>1. b</p><p>- c</p><p>&gt; d</p><p>---</p><p>[e]: f</p>',
      '\\# a',
      '',
      '1\\. b',
      '',
      '\\- c',
      '',
      '\\> d',
      '',
      '\\---',
      '',
      '\\[e]: f',
    ],
    [
      'harmless signs stay',
      '<p>a_b 2 * 3 a &lt; b [x] #tag 1.5 ~5 R&amp;D $5 a-b</p>',
      'a_b 2 * 3 a < b [x] #tag 1.5 ~5 R&D $5 a-b',
    ],
    [
      'markup in text is escaped',
      '<p>*a* _b_ `c` &lt;d&gt; &amp;amp; [e](f) ~~g~~ \\*</p>',
      '\\*a\\* \\_b\\_ \\`c\\` \\<d> \\&amp; [e\\](f) \\~\\~g\\~\\~ \\\\\\*',
    ],
    [
      'an exclamation mark before a link makes no image',
      '<p>a!<a href="/b">c</a></p>',
      'a\\![c](https://site.example/b)',
    ],
    [
      'code with backticks gets a longer fence',
      '<p><code>a`b</code> <code>`</code></p>',
      '``a`b`` `` ` ``',
    ],
  ],
  links: [
    [
      'addresses become absolute',
      '<p><a href="b?c=1#d">a</a></p>',
      '[a](https://site.example/dir/b?c=1#d)',
    ],
    [
      'a link to its own text is an autolink',
      '<p><a href="https://a.example/b_c">https://a.example/b_c</a></p>',
      '<https://a.example/b_c>',
    ],
    [
      'links without text or target disappear',
      '<p>a<a href="/x"></a> <a href="javascript:void(0)">b</a> <a href="#">c</a></p>',
      'a b c',
    ],
    [
      'links in a row are apart',
      '<p><a href="/a">aa</a><a href="/b">bb</a></p>',
      '[aa](https://site.example/a) [bb](https://site.example/b)',
    ],
    [
      'a link around blocks goes to the heading',
      '<a href="/a"><div><p>new</p><h3>Title</h3><p>text</p></div></a>',
      'new',
      '',
      '### [Title](https://site.example/a)',
      '',
      'text',
    ],
    [
      'a link around blocks without heading goes to the first text',
      '<a href="/a"><div><img src="i.png"></div><div>one</div><div>two</div></a>',
      '![](https://site.example/dir/i.png)',
      '',
      '[one](https://site.example/a)',
      '',
      'two',
    ],
    [
      'parentheses in addresses stay if they are in pairs',
      '<p><a href="/a_(b)">c</a> <a href="/d)">e</a></p>',
      '[c](https://site.example/a_(b)) [e](https://site.example/d%29)',
    ],
    [
      'frames and videos are links',
      '<iframe src="https://v.example/1" title="Talk"></iframe><p><video><source src="/a.mp4"></video></p>',
      '[Talk](https://v.example/1)',
      '',
      '[Video](https://site.example/a.mp4)',
    ],
  ],
  headings: [
    [
      'permalinks are dropped',
      '<h2>a<a class="headerlink" href="#a">¶</a></h2><h3><a href="#b">b</a></h3><h4><a href="#c">#</a> c</h4>',
      '## a',
      '',
      '### b',
      '',
      '#### c',
    ],
    ['a heading is one line', '<h1>a<br>b <strong>c</strong></h1>', '# a b c'],
    ['a role makes a heading', '<div role="heading" aria-level="3">a</div>', '### a'],
    [
      'a heading of an accordion is a button',
      '<h3><button>Why?</button></h3><button>Share</button>',
      '### Why?',
    ],
    ['a final # is escaped', '<h2>F #</h2>', '## F \\#'],
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

test('a conversion changes nothing in the document, so that a second one gives the same bytes', () => {
  const html =
    '<div class="x"><h1>a</h1><p>b<sup><a href="#fn1" class="footnote-ref">1</a></sup><ul><li id="fn1">c</ul>'
  const { document, baseUrl } = parsePage(html, 'https://site.example/')
  assert.ok(document.body)
  const before = toHtml(document.body)

  const first = toMarkdown(document.body, baseUrl)
  const second = toMarkdown(document.body, baseUrl)

  assert.equal(toHtml(document.body), before)
  assert.equal(second, first)
})

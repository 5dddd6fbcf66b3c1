import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Element, findElement } from '../dom/dom.ts'
import { parsePage } from '../dom/page-document.ts'
import { toMarkdown } from './to-markdown.ts'

const url = 'https://site.example/post'

/** How generators write the same footnote: a text with a reference, and its definition. */
const forms: Record<string, string> = {
  GitHub:
    '<p>a<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup></p><section data-footnotes="" class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2><ol><li id="user-content-fn-1"><p>note <a href="#user-content-fnref-1" data-footnote-backref="" class="data-footnote-backref">↩</a></p></li></ol></section>',
  Wikipedia:
    '<p>a<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span class="cite-bracket">[</span>1<span class="cite-bracket">]</span></a></sup></p><div class="mw-references-wrap"><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b><a href="#cite_ref-1">^</a></b></span> <span class="reference-text">note</span></li></ol></div>',
  Pandoc:
    '<p>a<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a></p><section class="footnotes" role="doc-endnotes"><hr><ol><li id="fn1"><p>note<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>',
  Hugo: '<p>a<sup id="fnref:1"><a href="#fn:1" class="footnote-ref" role="doc-noteref">1</a></sup></p><div class="footnotes" role="doc-endnotes"><hr><ol><li id="fn:1"><p>note&#160;<a href="#fnref:1" class="footnote-backref" role="doc-backlink">&#x21a9;&#xfe0e;</a></p></li></ol></div>',
  WordPress:
    '<p>a<sup data-fn="5e1" class="fn"><a href="#5e1" id="5e1-link">1</a></sup></p><ol class="wp-block-footnotes"><li id="5e1">note <a href="#5e1-link" aria-label="Jump to footnote reference 1">↩︎</a></li></ol>',
  Sphinx:
    '<p>a<a class="footnote-reference brackets" href="#id2" id="id1" role="doc-noteref"><span class="fn-bracket">[</span>1<span class="fn-bracket">]</span></a></p><aside class="footnote-list brackets"><aside class="footnote brackets" id="id2" role="doc-footnote"><span class="label"><span class="fn-bracket">[</span><a role="doc-backlink" href="#id1">1</a><span class="fn-bracket">]</span></span><p>note</p></aside></aside>',
  'older Sphinx':
    '<p>a<a class="footnote-reference brackets" href="#id2" id="id1">1</a></p><dl class="footnote brackets"><dt class="label" id="id2"><span class="brackets"><a class="fn-backref" href="#id1">1</a></span></dt><dd><p>note</p></dd></dl>',
  Substack:
    '<p>a<a data-component-name="FootnoteAnchorToDOM" id="footnote-anchor-1" href="#footnote-1" target="_self" class="footnote-anchor">1</a></p><div class="footnote" data-component-name="FootnoteToDOM"><a id="footnote-1" href="#footnote-anchor-1" class="footnote-number">1</a><div class="footnote-content"><p>note</p></div></div>',
  'Google Docs':
    '<p>a<sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup></p><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span> note</span></p></div>',
  Word: '<p>a<a href="#_ftn1" name="_ftnref1" title=""><span class="MsoFootnoteReference">[1]</span></a></p><div id="ftn1"><p class="MsoFootnoteText"><a href="#_ftnref1" name="_ftn1">[1]</a> note</p></div>',
  'notes in the margin':
    '<p>a<label for="sn-1" class="margin-toggle sidenote-number"></label><input type="checkbox" id="sn-1" class="margin-toggle"><span class="sidenote">note</span></p>',
}

for (const [generator, html] of Object.entries(forms)) {
  test(`a footnote as ${generator} writes it is a footnote of markdown`, () => {
    const { document } = parsePage(html, url)
    assert.ok(document.body)

    assert.equal(toMarkdown(document.body, url), 'a[^1]\n\n[^1]: note\n')
  })
}

test('a definition outside the converted part is added at the end', () => {
  const html = `<article>${forms['Hugo']?.replace('<div', '</article><div')}`
  const { document } = parsePage(html, url)
  const article = findElement(document, ({ localName }) => localName === 'article')
  assert.ok(article)

  assert.equal(toMarkdown(article, url), 'a[^1]\n\n[^1]: note\n')
})

test('a link to a section in superscript is no footnote', () => {
  const { document } = parsePage('<p>a<sup><a href="#s">see</a></sup></p><h2 id="s">b</h2>', url)
  assert.ok(document.body)

  assert.equal(toMarkdown(document.body, url), `a<sup>[see](${url}#s)</sup>\n\n## b\n`)
})

test('several references to one definition share its label', () => {
  const html =
    '<p>a<sup><a href="#fn1">1</a></sup> b<sup><a href="#fn1">1</a></sup></p><ol class="footnotes"><li id="fn1">note</li></ol>'
  const { document } = parsePage(html, url)
  assert.ok(document.body)

  assert.equal(toMarkdown(document.body, url), 'a[^1] b[^1]\n\n[^1]: note\n')
})

test('the start of a footnote stays if it is a link or a date', () => {
  const html =
    '<p>a<sup><a href="#fn1">1</a></sup> b<sup><a href="#fn2">2</a></sup></p><ol class="footnotes"><li id="fn1"><a href="/x">c</a></li><li id="fn2">2 May</li></ol>'
  const { document } = parsePage(html, url)
  assert.ok(document.body)

  assert.equal(
    toMarkdown(document.body, url),
    'a[^1] b[^2]\n\n[^1]: [c](https://site.example/x)\n\n[^2]: 2 May\n',
  )
})

test('raised numbers without links are footnotes if a later block starts with the number', () => {
  const html = '<p>word<sup>1</sup> and 10<sup>1</sup></p><p><sup>1</sup> note</p>'
  const { document } = parsePage(html, url)
  assert.ok(document.body)

  assert.equal(toMarkdown(document.body, url), 'word[^1] and 10<sup>1</sup>\n\n[^1]: note\n')
})

for (const [name, definition] of [
  ['a bold number', '<hr><p><strong>1</strong> note</p>'],
  ['the number in its id', '<ol><li id="footnote-1">note</li></ol>'],
] as const) {
  test(`a raised number without a link refers to a note with ${name}`, () => {
    const page = parsePage(`<p>text<sup>1</sup></p>${definition}`, url)

    assert.equal(toMarkdown(page.document.body as Element, url), 'text[^1]\n\n[^1]: note\n')
  })
}

test('a note in the margin that repeats a footnote is left out, others get labels of their own', () => {
  const html = `<p>one<sup><a href="#fn1">1</a></sup><span class=sidenote>note</span> two<span
    class=sidenote>left</span> three<span class=sidenote>right</span></p><ol class=footnotes><li id=fn1>note</ol>`

  const markdown = toMarkdown(parsePage(html, url).document.body as Element, url)

  assert.equal(
    markdown,
    'one[^1] two[^side-1] three[^side-2]\n\n[^1]: note\n\n[^side-1]: left\n\n[^side-2]: right\n',
  )
})

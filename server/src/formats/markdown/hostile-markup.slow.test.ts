import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createText, Element } from '../dom/dom.ts'
import { parseHtml } from '../dom/parse-html.ts'
import { toMarkdown } from './to-markdown.ts'

const url = 'https://site.example/'
const parse = (html: string): Element => {
  const { body } = parseHtml(html)
  assert.ok(body)
  return body
}

/** Built by hand, because the parser takes the square of the depth. */
function nested(name: string, levels: number): Element {
  let element = new Element(name)
  element.appendChild(createText('deep'))
  for (let level = 1; level < levels; level++) {
    const parent = new Element(name)
    parent.appendChild(element)
    element = parent
  }
  return element
}

for (const name of ['div', 'span', 'ul', 'table', 'math']) {
  test(`100 000 levels of ${name} give their text`, () => {
    const markdown = toMarkdown(nested(name, 100_000), url)

    assert.match(markdown, /deep/)
    assert.ok(markdown.length < 1_000)
  })
}

test('spans beyond reason do not make the table grow', () => {
  const row = '<tr><td colspan="1000000" rowspan="1000000">a</td><td>b</td></tr>'

  const markdown = toMarkdown(parse(`<table><tr><th>h</th></tr>${row.repeat(1000)}</table>`), url)

  assert.ok(markdown.length < 100_000, String(markdown.length))
})

test('a table with one very wide row and very many rows does not fill the other rows up', () => {
  const wide = `<tr>${'<td>a</td>'.repeat(10_000)}</tr>`

  const markdown = toMarkdown(
    parse(`<table><tr><th>h</th></tr>${wide}${'<tr><td>b</td></tr>'.repeat(10_000)}</table>`),
    url,
  )

  assert.ok(markdown.length < 500_000, String(markdown.length))
})

test('huge attributes are ignored', () => {
  const huge = 'x'.repeat(5_000_000)
  const html = `<p class="${huge}" style="${huge}"><a href="/${huge}" title="${huge}">a</a><img src="/${huge}" alt="${huge}"> <span id="${huge}">b</span></p>`

  assert.equal(toMarkdown(parse(html), url), 'a b\n')
})

test('100 000 references to one footnote are bounded', () => {
  const reference = '<sup><a href="#fn1">1</a></sup>'

  const markdown = toMarkdown(
    parse(`<p>a${reference.repeat(50_000)}</p><ol><li id="fn1">note</li></ol>`),
    url,
  )

  assert.match(markdown, /\[\^1\]: note\n$/)
})

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

test('400 000 elements are all converted', () => {
  const root = new Element('div')
  const append = (parent: Element, name: string, text = '') => {
    const element = new Element(name)
    if (text !== '') element.appendChild(createText(text))
    parent.appendChild(element)
    return element
  }
  for (let at = 0; at < 100_000; at++) {
    const paragraph = append(root, 'p')
    append(paragraph, 'b', 'x:')
    append(paragraph, 'i', 'y')
    append(paragraph, 'br')
  }

  const markdown = toMarkdown(root, url)

  assert.equal(markdown.length, 100_000 * '**x:**_y_\n\n'.length - 1)
})

test('a paragraph with 100 000 marks keeps its text', () => {
  const markdown = toMarkdown(parse(`<p>${'a<b>(b)</b>'.repeat(100_000)}</p>`), url)

  assert.equal(markdown.length, 100_000 * 'a(**b**)'.length + 1)
})

/** Long texts of one sign, which regular expressions that look back or ahead may not survive. */
for (const sign of [
  '*',
  '_',
  '~',
  '`',
  '[',
  ']',
  '\\',
  '<',
  '&',
  '$',
  '\\(',
  '\\[',
  '- ',
  '#',
  '=',
  '|',
  ':',
  '1',
  '!',
]) {
  test(`1 MB of ${sign} are converted in one pass`, () => {
    const text = sign.repeat(Math.floor(1_000_000 / sign.length)).replaceAll('<', '&lt;')
    const body = parse(`<p>${text}x</p><h2>${text.slice(0, 100_000)}</h2>`)

    assert.ok(toMarkdown(body, url).length >= 900_000)
  })
}

import { type Document, type Element, isElement, type Node, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { isRowOfBoxes } from './block-pieces.ts'
import { codeLanguage } from './code-language.ts'
import { codeText } from './code-text.ts'
import { headingLevel } from './element-kinds.ts'
import { type Footnotes, findFootnotes } from './footnotes.ts'
import { type Formula, findFormula } from './formulas.ts'
import { isHidden } from './hidden-elements.ts'
import { alternativeText, isEmojiImage, isFormulaImage } from './image-source.ts'
import { isCodeTable } from './tables.ts'
import { isPermalink } from './walk-inlines.ts'

/**
 * The text as a reader sees it: paragraphs with an empty line between them, list items and table rows
 * on lines of their own, white space as a browser collapses it. What is hidden, what is code and what is
 * a footnote is decided as for markdown. One element can be left out.
 */
export function toText(
  root: Element,
  baseUrl: string,
  omitted?: Element,
  document?: Document,
): string {
  const walk = new TextWalk(findFootnotes(root, baseUrl, document), omitted)
  walk.write(root)
  for (const definition of walk.footnotes.outside) walk.write(definition)
  return walk.writer.finish()
}

class TextWalk {
  readonly writer = new TextWriter()
  readonly footnotes: Footnotes
  readonly #omitted: Element | undefined
  /** Elements whose children stand side by side without a space between them. */
  readonly #rows = new Set<Node>()
  #headings = 0

  constructor(footnotes: Footnotes, omitted: Element | undefined) {
    this.footnotes = footnotes
    this.#omitted = omitted
  }

  write(root: Element): void {
    let node: Node | null = root
    while (node) {
      if (node.parentNode && this.#rows.has(node.parentNode)) this.writer.space()
      if (node.nodeType === nodeTypes.text) this.writer.write(node.nodeValue ?? '')
      else if (isElement(node) && this.#enter(node, node === root)) {
        node = node.firstChild
        continue
      }
      while (node && node !== root && !node.nextSibling) {
        node = node.parentNode
        if (node && isElement(node)) this.#leave(node)
      }
      node = node && node !== root ? node.nextSibling : null
    }
  }

  /** Whether the children of the element are to be visited; if not, all that it has is written. */
  #enter(element: Element, isRoot: boolean): boolean {
    const formula = findFormula(element)
    const label = this.footnotes.references.get(element)
    if (formula) this.writer.formula(formula)
    else if (!isRoot && this.#isSkipped(element)) return false
    else if (label !== undefined) this.writer.write(`[${label}]`)
    else if (isReadImage(element)) this.writer.write(alternativeText(element))
    else if (isCode(element)) this.writer.code(codeText(element), codeLanguage(element))
    else {
      this.writer.open(element.localName)
      if (headingLevel(element) !== undefined) this.#headings++
      if (isRowOfBoxes(element)) this.#rows.add(element)
      if (element.firstChild) return true
      this.#leave(element)
    }
    return false
  }

  #leave(element: Element): void {
    if (headingLevel(element) !== undefined) this.#headings--
    this.writer.close(element.localName)
  }

  #isSkipped(element: Element): boolean {
    if (element === this.#omitted || textless.has(element.localName) || isHidden(element))
      return true
    if (element.localName !== 'a') return false
    if (this.footnotes.backlinks.has(element)) return true
    return isPermalink(element, element.getAttribute('href'), this.#headings > 0)
  }
}

/** Images of signs and of formulas, whose alternative text is what they show. */
const isReadImage = (element: Element): boolean =>
  element.localName === 'img' && (isEmojiImage(element) || isFormulaImage(element))

/** Line numbers stand beside code in a table. */
const isCode = (element: Element): boolean =>
  element.localName === 'pre' || (element.localName === 'table' && isCodeTable(element))

/** A regular expression would take quadratic time over a line of spaces with a letter behind them. */
function withoutTrailingSpace(line: string): string {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--
  return line.slice(0, end)
}

const textless = wordSet(
  'script style template noscript head title select textarea iframe object svg annotation annotation-xml datalist rt rp',
)
const paragraphs = wordSet(
  'p h1 h2 h3 h4 h5 h6 ul ol dl table pre blockquote figure section article hr details form fieldset address main header footer aside nav',
)
const lines = wordSet('div li dt dd tr caption figcaption option summary legend center body')
const cells = wordSet('td th')

class TextWriter {
  readonly #parts: string[] = []
  /** What separates the next text from the last: line breaks win over a tab, a tab over a space. */
  #newlines = 0
  #separator = ''

  open(name: string): void {
    this.#separate(name)
    if (name === 'br') this.#newlines = Math.min(2, this.#newlines + 1)
  }

  close(name: string): void {
    this.#separate(name)
  }

  write(value: string): void {
    const text = value.replace(/[\t\n\f\r ]+/g, ' ')
    if (text.startsWith(' ')) this.space()
    // A space that does not break is text.
    if (text === '' || text === ' ') return
    this.#append(text.slice(text.startsWith(' ') ? 1 : 0, text.endsWith(' ') ? -1 : undefined))
    if (text.endsWith(' ')) this.space()
  }

  space(): void {
    if (this.#separator === '') this.#separator = ' '
  }

  /** Code keeps its white space. Some pages show the name of its language in its frame. */
  code(text: string, language: string): void {
    if (language !== '' && this.#parts.at(-1)?.toLowerCase() === language) {
      this.#parts.length -= Math.min(2, this.#parts.length)
    }
    this.#newlines = 2
    this.#append(text.split('\n').map(withoutTrailingSpace).join('\n'))
    this.#newlines = 2
  }

  /** Formulas are written in TeX: the letters of a drawn one would run together. */
  formula({ tex, isDisplay }: Formula): void {
    if (isDisplay) this.#newlines = 2
    this.#append(tex)
    if (isDisplay) this.#newlines = 2
  }

  finish(): string {
    return this.#parts.join('').trim()
  }

  #append(text: string): void {
    if (text === '') return
    if (this.#parts.length > 0) {
      this.#parts.push(this.#newlines > 0 ? '\n'.repeat(this.#newlines) : this.#separator)
    }
    this.#parts.push(text)
    this.#newlines = 0
    this.#separator = ''
  }

  #separate(name: string): void {
    if (paragraphs.has(name)) this.#newlines = 2
    else if (lines.has(name)) this.#newlines = Math.max(1, this.#newlines)
    else if (cells.has(name)) this.#separator = '\t'
  }
}

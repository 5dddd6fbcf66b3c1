import { type Element, isElement, type Node, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { classOf, styleOf } from './element-kinds.ts'

/** Line numbers, copy buttons and the like, by the class names of highlighters. */
const gutter =
  /(?:^|\s)(?:gutter|linenos?|lineno|line-?numbers?-rows|line-?numbers?-wrapper|line-?number|lnt?|ln-num|hljs-ln-(?:numbers|n)|rouge-gutter|blob-num|crayon-nums?|react-syntax-highlighter-line-number|linenumber|CodeMirror-(?:linenumber|gutter-wrapper|gutters)|cm-gutters|code-line-number|ec-line-numbers?|toolbar|copy-?(?:btn|button|code)?|btn-copy|clipboard|code-toolbar__toolbar|lang-label|code-lang|code[-_]+(?:block-)?header|select-none)(?:\s|$)/i

const skippedNames = wordSet('button script style svg template textarea input select noscript')

/** Elements that are a line each. */
const lineNames = wordSet('div p li tr ol ul pre table tbody dd dt')
const lineClass =
  /(?:^|\s)(?:line|code-line|token-line|view-line|cm-line|CodeMirror-line|crayon-line|cl-line|ec-line|hljs-line)(?:\s|$)/

/** White space between these is the writing of the markup, not of the code. */
const tableNames = wordSet('table tbody thead tr ul ol colgroup')

/** The code in an element, line by line, without gutters and buttons. */
export function codeText(block: Element): string {
  const writer = new CodeWriter()
  let node: Node | null = block.firstChild
  while (node) {
    if (isElement(node) && !isSkipped(node)) {
      if (node.localName === 'br') writer.text('\n')
      if (isLine(node)) writer.startLine()
      if (node.firstChild) {
        node = node.firstChild
        continue
      }
      if (isLine(node)) writer.endLine()
    } else if (node.nodeType === nodeTypes.text && !isMarkupSpace(node)) {
      writer.text(node.nodeValue ?? '')
    }
    while (node && !node.nextSibling) {
      node = node.parentNode
      if (!node || node === block) return writer.finish()
      if (isElement(node) && isLine(node)) writer.endLine()
    }
    node = node?.nextSibling ?? null
  }
  return writer.finish()
}

const isLine = (element: Element): boolean =>
  lineNames.has(element.localName) ||
  (element.localName === 'span' || element.localName === 'code'
    ? element.hasAttribute('data-line') ||
      lineClass.test(classOf(element)) ||
      /display\s*:\s*(?:block|flex)/.test(styleOf(element).slice(0, 500))
    : false)

function isSkipped(element: Element): boolean {
  if (skippedNames.has(element.localName)) return true
  const className = classOf(element)
  // `line-numbers` on the block itself only asks for numbers.
  if (className !== '' && gutter.test(className) && element.localName !== 'code') return true
  if (element.getAttribute('aria-hidden') === 'true') return true
  const style = styleOf(element).slice(0, 1000)
  return style !== '' && /user-select\s*:\s*none|display\s*:\s*none/.test(style)
}

const isMarkupSpace = (text: Node): boolean =>
  tableNames.has(text.parentElement?.localName ?? '') && !/\S/.test(text.nodeValue ?? '')

/** Puts lines together: a line break that the text has already is not added again. */
class CodeWriter {
  readonly #parts: string[] = []
  #isLineOpen = false
  #isBreakDue = false
  #lineStart = 0

  text(raw: string): void {
    if (raw === '') return
    const text = raw.replace(/\r\n?/g, '\n')
    if (this.#isBreakDue && text[0] !== '\n') this.#parts.push('\n')
    this.#isBreakDue = false
    this.#parts.push(text)
    this.#isLineOpen = !text.endsWith('\n')
  }

  startLine(): void {
    if (this.#isBreakDue || this.#isLineOpen) this.#parts.push('\n')
    this.#isBreakDue = false
    this.#isLineOpen = false
    this.#lineStart = this.#parts.length
  }

  endLine(): void {
    const isEmpty = this.#parts.length === this.#lineStart
    this.#isBreakDue ||= this.#isLineOpen || isEmpty
    this.#isLineOpen = false
  }

  finish(): string {
    const text = this.#parts
      .join('')
      .replace(/[\u200b\ufeff]/g, '')
      .replace(/\u00a0/g, ' ')
      .replace(/^(?:[^\S\n]*\n)+/, '')
      .trimEnd()
    return withoutNumberLines(text)
  }
}

/** A gutter without a telling class leaves a line with its number before each line of code. */
function withoutNumberLines(text: string): string {
  if (!text.startsWith('1\n')) return text
  const lines = text.split('\n')
  const isNumbered =
    lines.length > 3 &&
    lines.every((line, at) => at % 2 === 1 || line.trim() === String(at / 2 + 1))
  return isNumbered ? lines.filter((_, at) => at % 2 === 1).join('\n') : text
}

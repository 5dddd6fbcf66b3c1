import type { XPathFunction } from '../../domain/scrape/xpath/xpath-expression.ts'
import { isElement } from '../dom/dom.ts'
import { isXPathAttribute, type XPathDocument, type XPathNode } from './xpath-node.ts'
import { toBoolean, toNumber, toText, type XPathValue } from './xpath-value.ts'

/** The node that an expression is evaluated for, and its place among those beside it. */
export interface XPathContext {
  readonly node: XPathNode
  readonly position: number
  readonly size: number
  readonly document: XPathDocument
}

type Implementation = (operands: XPathValue[], context: XPathContext) => XPathValue

/** The function library of XPath 1.0. */
export const functionTable = {
  last: (_, { size }) => size,
  position: (_, { position }) => position,
  count: ([value]) => (Array.isArray(value) ? value.length : 0),
  id: ([value], { document }) => findByIds(value, document),
  'local-name': (operands, context) => nameOf(nodeOf(operands, context)),
  'namespace-uri': (operands, context) => namespaceOf(nodeOf(operands, context)),
  name: (operands, context) => nameOf(nodeOf(operands, context)),
  string: (operands, context) => textOf(operands, context),
  concat: (operands, { document }) => {
    const texts = operands.map((one) => toText(one, document))
    document.budget.spend(texts.reduce((sum, text) => sum + text.length, 0))
    return texts.join('')
  },
  'starts-with': twoTexts((text, start) => text.startsWith(start)),
  contains: twoTexts((text, part) => text.includes(part)),
  'substring-before': twoTexts((text, mark) => text.slice(0, Math.max(0, text.indexOf(mark)))),
  'substring-after': twoTexts((text, mark) =>
    text.includes(mark) ? text.slice(text.indexOf(mark) + mark.length) : '',
  ),
  substring: ([text = '', from = 1, length], { document }) =>
    substring(
      toText(text, document),
      toNumber(from, document),
      length === undefined ? Number.POSITIVE_INFINITY : toNumber(length, document),
    ),
  'string-length': (operands, context) => countCharacters(textOf(operands, context)),
  'normalize-space': (operands, context) =>
    textOf(operands, context)
      .replace(/[ \t\r\n]+/g, ' ')
      .replace(/^ | $/g, ''),
  translate: ([text = '', from = '', to = ''], { document }) =>
    translate(toText(text, document), toText(from, document), toText(to, document)),
  boolean: ([value = false]) => toBoolean(value),
  not: ([value = false]) => !toBoolean(value),
  true: () => true,
  false: () => false,
  lang: ([wanted = ''], { node, document }) =>
    isInLanguage(node, toText(wanted, document).toLowerCase(), document),
  number: (operands, context) =>
    toNumber(operands[0] ?? textOf(operands, context), context.document),
  sum: ([value], { document }) =>
    Array.isArray(value) ? value.reduce((sum, node) => sum + toNumber([node], document), 0) : NaN,
  floor: oneNumber(Math.floor),
  ceiling: oneNumber(Math.ceil),
  round: oneNumber((number) => Math.floor(number + 0.5)),
} satisfies Record<XPathFunction, Implementation> as Record<XPathFunction, Implementation>

function twoTexts(apply: (first: string, second: string) => XPathValue): Implementation {
  return ([first = '', second = ''], { document }) =>
    apply(toText(first, document), toText(second, document))
}

function oneNumber(apply: (number: number) => number): Implementation {
  return ([value = Number.NaN], { document }) => apply(toNumber(value, document))
}

const textOf = ([value]: XPathValue[], { node, document }: XPathContext): string =>
  value === undefined ? document.stringOf(node) : toText(value, document)

function nodeOf([value]: XPathValue[], { node }: XPathContext): XPathNode | undefined {
  return value === undefined ? node : Array.isArray(value) ? value[0] : undefined
}

function nameOf(node: XPathNode | undefined): string {
  if (!node) return ''
  if (isXPathAttribute(node)) return node.name
  return isElement(node) ? node.localName : ''
}

/** HTML itself has no namespace here, as its names are written without a prefix. */
const namespaceOf = (node: XPathNode | undefined): string =>
  node && !isXPathAttribute(node) && isElement(node) ? node.namespaceURI : ''

function findByIds(value: XPathValue | undefined, document: XPathDocument): XPathNode[] {
  const texts = Array.isArray(value)
    ? value.map((node) => document.stringOf(node))
    : [toText(value ?? '', document)]
  const ids = new Set(texts.flatMap((text) => text.split(/\s+/)))
  document.budget.spend(ids.size)
  const found = [...ids].map((id) => document.document.getElementById(id))
  return document.sort([...new Set(found.filter((element) => element !== null))])
}

/** Without a list of the characters, which would take many times the memory of a large text. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Counts characters from 1, and rounds as the standard says, so that NaN selects nothing. */
function substring(text: string, from: number, length: number): string {
  const start = Math.floor(from + 0.5)
  const end = length === Number.POSITIVE_INFINITY ? length : start + Math.floor(length + 0.5)
  let [part, position] = ['', 0]
  for (const character of text) {
    // Not `>=`, which is false for NaN.
    if (!(++position < end)) break
    if (position >= start) part += character
  }
  return part
}

function translate(text: string, from: string, to: string): string {
  const replacements = new Map<string, string>()
  const characters = to[Symbol.iterator]()
  for (const character of from) {
    const replacement = characters.next().value ?? ''
    if (!replacements.has(character)) replacements.set(character, replacement)
  }
  return inPieces(text)
    .map((piece) => piece.replace(/./gsu, (character) => replacements.get(character) ?? character))
    .join('')
}

const pieceCharacters = 65_536

/** Replacing lists all matches at once, which for a text of megabytes would fill the heap. */
function inPieces(text: string): string[] {
  const pieces: string[] = []
  for (let from = 0; from < text.length; ) {
    let end = from + pieceCharacters
    // A character of two units is not torn apart.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end++
    pieces.push(text.slice(from, end))
    from = end
  }
  return pieces
}

function isInLanguage(node: XPathNode, wanted: string, { budget }: XPathDocument): boolean {
  let at = isXPathAttribute(node) ? node.owner : isElement(node) ? node : node.parentElement
  for (; at; at = at.parentElement) {
    budget.spend(1)
    const language = at.getAttribute('lang')?.toLowerCase()
    if (language === undefined) continue
    return language === wanted || language.startsWith(`${wanted}-`)
  }
  return false
}

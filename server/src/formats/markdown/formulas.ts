import { type Element, isElement, type Node, nextNode } from '../dom/dom.ts'
import { classOf } from './element-kinds.ts'
import { mathmlToTex } from './mathml-to-tex.ts'

/** The source of a formula, and whether it stands on a line of its own. */
export interface Formula {
  tex: string
  isDisplay: boolean
}

const texCharactersMax = 20_000

/** Elements in which KaTeX, MathJax, MediaWiki and others draw a formula. */
const drawn =
  /(?:^|\s)(?:katex|katex-display|mwe-math-element|MathJax|MathJax_SVG|MathJax_CHTML|MathJax_Display|temml|math-(?:inline|display))(?:\s|$)/

const sourceAttributes = ['data-latex', 'data-tex', 'data-math', 'alttext', 'data-formula']

export function findFormula(element: Element): Formula | undefined {
  const name = element.localName
  if (name === 'script') {
    const type = element.getAttribute('type') ?? ''
    if (!type.startsWith('math/tex')) return undefined
    return toFormula(element.textContent, type.includes('mode=display'))
  }
  const className = classOf(element)
  const isDrawn = name === 'mjx-container' || (className !== '' && drawn.test(className))
  if (name !== 'math' && !isDrawn) return undefined
  // MathJax 2 leaves its source in a script behind what it draws.
  const next = element.nextElementSibling
  if (next?.localName === 'script' && (next.getAttribute('type') ?? '').startsWith('math/tex')) {
    return { tex: '', isDisplay: false }
  }
  const math = name === 'math' ? element : findInside(element, 'math')
  return toFormula(
    sourceOf(element) ?? (math && (sourceOf(math) ?? annotationOf(math) ?? mathmlToTex(math))),
    isDisplay(element, math),
  )
}

function isDisplay(element: Element, math: Element | undefined): boolean {
  if (element.getAttribute('display') === 'true' || math?.getAttribute('display') === 'block')
    return true
  return /(?:^|\s)(?:katex-display|MathJax_Display|math-display)(?:\s|$)/.test(classOf(element))
}

const sourceOf = (element: Element): string | undefined =>
  sourceAttributes.map((name) => element.getAttribute(name)).find((source) => source) ?? undefined

function annotationOf(math: Element): string | undefined {
  const annotation = findInside(math, 'annotation')
  const encoding = annotation?.getAttribute('encoding') ?? ''
  return annotation && /tex/i.test(encoding) ? (annotation.textContent ?? undefined) : undefined
}

const searchedMax = 2000

function findInside(root: Element, name: string): Element | undefined {
  let node: Node | null = root
  for (let seen = 0; node && seen < searchedMax; seen++) {
    node = nextNode(node, root)
    if (node && isElement(node) && node.localName === name) return node
  }
  return undefined
}

function toFormula(source: string | null | undefined, isDisplay: boolean): Formula | undefined {
  if (!source || source.length > texCharactersMax) return undefined
  const tex = source
    .replace(/%<!\[CDATA\[|%\]\]>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^\{\\(?:display|text)style (.*)\}$/, '$1')
    .trim()
  return tex === '' ? undefined : { tex, isDisplay }
}

export const formulaMarkdown = ({ tex, isDisplay }: Formula): string =>
  isDisplay ? `$$${tex}$$` : `$${tex}$`

/** How text encloses a formula that a script of the page would have drawn. */
const enclosures: Record<string, { end: string; charactersMax: number; isDisplay: boolean }> = {
  '\\(': { end: '\\)', charactersMax: 500, isDisplay: false },
  '\\[': { end: '\\]', charactersMax: 3000, isDisplay: true },
  $$: { end: '$$', charactersMax: 3000, isDisplay: true },
  $: { end: '$', charactersMax: 300, isDisplay: false },
}

/** Splits text into plain text and formulas, in one pass. */
export function splitFormulas(text: string): (string | Formula)[] {
  if (!/\\[([]|\$/.test(text)) return [text]
  const parts: (string | Formula)[] = []
  const endAt = createFinder(text)
  const start = /\\[([]|\$\$?/g
  let end = 0
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const enclosure = enclosures[match[0]]
    if (!enclosure) continue
    const close = endAt(enclosure.end, start.lastIndex)
    if (close - start.lastIndex > enclosure.charactersMax) continue
    const inside = text.slice(start.lastIndex, close)
    const formula = toFormula(inside, enclosure.isDisplay)
    if (!formula || (match[0] === '$' && !isTex(inside))) continue
    parts.push(text.slice(end, match.index), formula)
    end = close + enclosure.end.length
    start.lastIndex = end
  }
  parts.push(text.slice(end))
  return parts
}

/** Two prices in a sentence also stand between dollar signs. */
const isTex = (text: string): boolean => /^\S(?:.*\S)?$/.test(text) && /[\\^_{}]/.test(text)

/** Finds the next place of a sign; remembers the last one, so that all searches together are one pass. */
function createFinder(text: string): (sign: string, from: number) => number {
  const found = new Map<string, number>()
  return (sign, from) => {
    const known = found.get(sign)
    if (known !== undefined && known >= from) return known
    const at = text.indexOf(sign, from)
    const place = at === -1 ? Number.POSITIVE_INFINITY : at
    found.set(sign, place)
    return place
  }
}

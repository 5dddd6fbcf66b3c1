import type { Element } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'

const blockNames = wordSet(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre search section summary table tbody td tfoot th thead tr ul',
)

const headingName = /^h[1-6]$/

/** Formulas that stand on a line of their own, as KaTeX and MathJax mark them. */
const displayFormula = /(?:^|\s)(?:katex-display|MathJax_Display|math-display|ltx_equation)(?:\s|$)/

const blockStyle = /display\s*:\s*(?:block|flex|grid|list-item|table)\b/i

/** Elements that start and end a line of the page. */
export function isBlock(element: Element): boolean {
  const name = element.localName
  if (blockNames.has(name)) return true
  if (name === 'math') return element.getAttribute('display') === 'block'
  if (name === 'mjx-container') return element.getAttribute('display') === 'true'
  if (name === 'script') return (element.getAttribute('type') ?? '').includes('mode=display')
  if (name === 'span' && element.getAttribute('data-as') === 'p') return true
  if (name === 'br' || name === 'img' || name === 'code') return false
  return (
    displayFormula.test(element.getAttribute('class') ?? '') ||
    blockStyle.test(styleOf(element).slice(0, 1000))
  )
}

export function headingLevel(element: Element): number | undefined {
  const name = element.localName
  if (headingName.test(name)) return Number(name[1])
  if (element.getAttribute('role') !== 'heading') return undefined
  const level = Number(element.getAttribute('aria-level') ?? 2)
  return level >= 1 && level <= 6 ? Math.floor(level) : 6
}

export const classOf = (element: Element): string => element.getAttribute('class') ?? ''

export const styleOf = (element: Element): string => element.getAttribute('style') ?? ''

export const isSpace = (text: string): boolean => !/\S/.test(text)

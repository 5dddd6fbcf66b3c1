import { type Element, isElement, type Node } from '../dom/dom.ts'

type NthPseudo = (element: Element, formula?: string | null) => boolean

/**
 * The `:nth-…` pseudo-classes, for css-select. Its own ones count the siblings of each sibling anew,
 * which takes quadratic time on a table of 25,000 rows; these count them once.
 */
export const nthPseudos: Record<string, NthPseudo> = {
  'nth-child': (element, formula) => isNth(formula, placeOf(element).index),
  'nth-last-child': (element, formula) => isNth(formula, placeOf(element).fromEnd()),
  'nth-of-type': (element, formula) => isNth(formula, placeOf(element).indexOfType),
  'nth-last-of-type': (element, formula) => isNth(formula, placeOf(element).fromEndOfType()),
}

interface SiblingPlace {
  /** Counted from 1. */
  index: number
  indexOfType: number
  fromEnd(): number
  fromEndOfType(): number
}

/** By parent. Nobody changes the document of a page, and it goes with the document. */
const placesByParent = new WeakMap<Node, Map<Element, SiblingPlace>>()
const alone: SiblingPlace = { index: 1, indexOfType: 1, fromEnd: () => 1, fromEndOfType: () => 1 }

function placeOf(element: Element): SiblingPlace {
  const parent = element.parentNode
  if (!parent) return alone
  const places = placesByParent.get(parent) ?? countChildren(parent)
  return places.get(element) ?? alone
}

function countChildren(parent: Node): Map<Element, SiblingPlace> {
  const places = new Map<Element, SiblingPlace>()
  const totals = new Map<string, number>()
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    if (!isElement(child)) continue
    const { localName } = child
    const index = places.size + 1
    const indexOfType = (totals.get(localName) ?? 0) + 1
    totals.set(localName, indexOfType)
    places.set(child, {
      index,
      indexOfType,
      fromEnd: () => places.size - index + 1,
      fromEndOfType: () => (totals.get(localName) ?? 0) - indexOfType + 1,
    })
  }
  placesByParent.set(parent, places)
  return places
}

/** Whether the index is one of `an + b` for a whole n from 0 on. */
function isNth(formula: string | null | undefined, index: number): boolean {
  const { step, offset } = readFormula((formula ?? '').trim().toLowerCase())
  if (step === 0) return index === offset
  const count = (index - offset) / step
  return count >= 0 && Number.isInteger(count)
}

/** The formula was checked when the request came in. */
function readFormula(formula: string): { step: number; offset: number } {
  if (formula === 'even') return { step: 2, offset: 0 }
  if (formula === 'odd') return { step: 2, offset: 1 }
  const [, step, sign = '+', offset = '0'] =
    /^([+-]?\s*\d*)n(?:\s*([+-])\s*(\d+))?$/.exec(formula) ?? []
  if (step === undefined) return { step: 0, offset: Number(formula) }
  const digits = step.replace(/\s/g, '')
  return {
    step: /\d/.test(digits) ? Number(digits) : Number(`${digits}1`),
    offset: Number(`${sign}${offset}`),
  }
}

import { type Element, nodeTypes } from '../dom/dom.ts'
import { isSpace } from './element-kinds.ts'

interface NumberedNote {
  reference: Element
  definition: Element
  label: string
}

/**
 * Pairs raised numbers in the text with later blocks that start with the same raised or bold number: footnotes
 * written by hand, without links. An exponent has a number or a single letter before it.
 */
export function pairNumbers(
  numbers: readonly Element[],
  ids: ReadonlyMap<string, Element>,
): NumberedNote[] {
  const references = new Map<string, Element[]>()
  const notes: NumberedNote[] = []
  const defined = new Set<string>()
  for (const element of numbers) {
    const label = labelOf(element)
    if (label === undefined) continue
    const block = startedBlock(element)
    if (!block) {
      if (element.localName !== 'sup' || isExponent(element)) continue
      const known = references.get(label)
      if (known) known.push(element)
      else references.set(label, [element])
      continue
    }
    if (defined.has(label)) continue
    defined.add(label)
    for (const reference of references.get(label) ?? []) {
      notes.push({ reference, definition: block, label })
    }
  }
  for (const [label, elements] of references) {
    const definition = defined.has(label) ? undefined : findById(label, ids)
    if (!definition) continue
    for (const reference of elements) notes.push({ reference, definition, label })
  }
  return notes
}

const idForms = ['footnote-', 'footnote', 'fn-', 'fn', 'note-', 'endnote-']

/** A note in a numbered list has its number in its id only. */
function findById(label: string, ids: ReadonlyMap<string, Element>): Element | undefined {
  const id = idForms.find((form) => ids.get(form + label)?.localName === 'li')
  return id === undefined ? undefined : ids.get(id + label)
}

function labelOf(sup: Element): string | undefined {
  const only = sup.firstChild
  if (only?.nodeType !== nodeTypes.text || only.nextSibling) return undefined
  return /^\s*[[(]?(\d{1,3}|[*†‡])[\])]?\s*$/.exec(only.nodeValue ?? '')?.[1]
}

const blockNames = new Set(['p', 'li', 'div', 'dd', 'td'])

/** The block that a raised number starts, perhaps inside a bold text. */
function startedBlock(sup: Element): Element | undefined {
  let element = sup
  for (let level = 0; level < 3; level++) {
    const before = element.previousSibling
    const isFirst = !before || (isSpace(before.nodeValue ?? 'x') && !before.previousSibling)
    const parent = element.parentElement
    if (!isFirst || !parent) return undefined
    if (blockNames.has(parent.localName)) return parent
    element = parent
  }
  return undefined
}

function isExponent(sup: Element): boolean {
  const before = sup.previousSibling?.nodeValue ?? ''
  return /\d$|(?:^|[^\p{L}])\p{L}$/u.test(before.slice(-2))
}

import { collapseSpace } from '../dom/collapse-space.ts'
import { type Element, isElement, type Node } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { type WorkBudget, walkSteps } from './work-budget.ts'

/** Text on both sides of these does not run together. */
const separating = wordSet(
  'address article aside blockquote body br caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul',
)
const unseen = wordSet('script style template noscript')

/**
 * The text of a match on one line. Blocks and cells are separated by a space, and scripts and styles
 * are left out unless one of them is the match itself.
 */
export function matchText(match: Node, budget: WorkBudget): string {
  if (!match.firstChild) return collapseSpace(match.nodeValue ?? '')
  if (isElement(match) && unseen.has(match.localName)) return collapseSpace(match.textContent ?? '')
  let text = ''
  let node: Node | null = match
  let isLeaving = false
  while (node) {
    budget.spend(walkSteps)
    if (isElement(node) && separating.has(node.localName)) text += ' '
    if (node.nodeType === 3) text += node.nodeValue ?? ''
    if (!isLeaving && node.firstChild && !isUnseen(node)) {
      node = node.firstChild
      continue
    }
    if (node === match) break
    isLeaving = node.nextSibling === null
    node = node.nextSibling ?? node.parentNode
  }
  return collapseSpace(text)
}

const isUnseen = (node: Node): boolean => unseen.has((node as Element).localName)

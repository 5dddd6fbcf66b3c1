import { selectAll, selectOne } from 'css-select'
import { type Document, type Element, isElement, type Node, nodesIn } from '../dom/dom.ts'
import { nthPseudos } from './nth-pseudos.ts'
import { type WorkBudget, walkSteps } from './work-budget.ts'

/**
 * The elements inside `scope` that match, in document order. Every part of the selector is matched
 * inside the scope. The document's own engine knows neither `:where` nor `:has(> …)` and its failures
 * are TypeErrors, so css-select runs on the document.
 */
export function selectCss(
  css: string,
  scope: Element | Document,
  isList: boolean,
  budget: WorkBudget,
): Element[] {
  const options = { adapter: adapterOf(budget), pseudos: nthPseudos }
  if (isList) return selectAll<Node, Element>(css, scope, options)
  const found = selectOne<Node, Element>(css, scope, options)
  return found ? [found] : []
}

/** Copying a node from list to list takes about as long as this many looks at one. */
const copySteps = 10

/** How css-select reads the document; each look at a node counts as work. */
function adapterOf(budget: WorkBudget) {
  const listChildren = (node: Node): Node[] => {
    const children: Node[] = []
    for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
    budget.spend(children.length * walkSteps)
    return children
  }
  // `~` and `:only-child` ask for the siblings of every element, between which lie their descendants.
  const siblingsByParent = new Map<Node, Node[]>()

  return {
    /** With an index it filters a list that css-select copies: the siblings, for `:has(+ …)`. */
    isTag(node: Node, index?: number): node is Element {
      budget.spend(index === undefined ? 1 : copySteps)
      return isElement(node)
    },
    getAttributeValue(element: Element, name: string): string | undefined {
      const value = element.getAttribute(name) ?? undefined
      budget.spend(1 + ((value?.length ?? 0) >> 4))
      return value
    },
    hasAttrib: (element: Element, name: string): boolean => element.hasAttribute(name),
    getChildren: listChildren,
    // css-select compares with names in lower case, and SVG has others.
    getName: (element: Element): string => element.localName.toLowerCase(),
    getParent: (element: Element): Node | null => element.parentNode,
    getSiblings(node: Node): Node[] {
      const parent = node.parentNode
      if (!parent) return [node]
      const known = siblingsByParent.get(parent)
      if (known) return known
      const siblings = listChildren(parent)
      siblingsByParent.set(parent, siblings)
      return siblings
    },
    prevElementSibling: (node: Node): Element | null => {
      budget.spend(1)
      return (node as Element).previousElementSibling
    },
    getText(node: Node): string {
      let text = ''
      for (const inner of nodesIn(node)) {
        budget.spend(walkSteps)
        if (inner.nodeType === 3) text += inner.nodeValue ?? ''
      }
      budget.spend(text.length >> 4)
      return text
    },
    // The scope is one node, so there are no subsets.
    removeSubsets: (nodes: Node[]): Node[] => nodes,
  }
}

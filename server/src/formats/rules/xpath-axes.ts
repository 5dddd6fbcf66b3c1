import type { XPathAxis, XPathNodeTest } from '../../domain/scrape/xpath/xpath-expression.ts'
import { type Element, isElement, type Node, nodesIn } from '../dom/dom.ts'
import type { WorkBudget } from './work-budget.ts'
import { isXPathAttribute, type XPathDocument, type XPathNode } from './xpath-node.ts'

type Walk = (node: XPathNode, document: XPathDocument) => Iterable<XPathNode>

/** The nodes of each axis, the nearest first, so that those before the node come in reverse order. */
export const walkAxis = {
  self: (node) => [node],
  child: (node) => childrenOf(node),
  parent: (node) => ancestorsOf(node).take(1),
  ancestor: (node) => ancestorsOf(node),
  'ancestor-or-self': (node) => withSelf(node, ancestorsOf(node)),
  attribute: (node, document) => document.attributesOf(node),
  descendant: (node) => descendantsOf(node),
  'descendant-or-self': (node) => withSelf(node, descendantsOf(node)),
  'following-sibling': (node) => siblingsOf(node, 'nextSibling'),
  'preceding-sibling': (node) => siblingsOf(node, 'previousSibling'),
  following: (node, document) => followingOf(node, document),
  preceding: (node) => precedingOf(node),
} satisfies Record<XPathAxis, Walk> as Record<XPathAxis, Walk>

export function passesTest(node: XPathNode, axis: XPathAxis, test: XPathNodeTest): boolean {
  // XPath's data model has no document type.
  if (test.kind === 'node') return node.nodeType !== 10
  if (isXPathAttribute(node)) {
    return test.kind === 'any' || (test.kind === 'name' && node.name === test.name)
  }
  if (test.kind in nodeTypes)
    return node.nodeType === nodeTypes[test.kind as keyof typeof nodeTypes]
  if (axis === 'attribute' || !isElement(node)) return false
  return test.kind === 'any' || (test.kind === 'name' && isNamed(node, test.name))
}

const nodeTypes = { text: 3, comment: 8, 'processing-instruction': 7 }

const isNamed = (element: Element, name: string): boolean =>
  element.localName === name || element.localName.toLowerCase() === name

function* withSelf(node: XPathNode, others: Iterable<XPathNode>): Generator<XPathNode> {
  yield node
  yield* others
}

function* childrenOf(node: XPathNode): Generator<Node> {
  if (isXPathAttribute(node)) return
  for (let child = node.firstChild; child; child = child.nextSibling) yield child
}

function* ancestorsOf(node: XPathNode): Generator<Node> {
  let parent: Node | null = isXPathAttribute(node) ? node.owner : node.parentNode
  for (; parent; parent = parent.parentNode) yield parent
}

const descendantsOf = (node: XPathNode): Iterable<Node> =>
  isXPathAttribute(node) ? [] : nodesIn(node)

function* siblingsOf(
  node: XPathNode,
  direction: 'nextSibling' | 'previousSibling',
): Generator<Node> {
  if (isXPathAttribute(node)) return
  for (let at = node[direction]; at; at = at[direction]) yield at
}

/** All nodes after this one but its descendants. */
function* followingOf(node: XPathNode, { budget }: XPathDocument): Generator<Node> {
  let at = isXPathAttribute(node)
    ? (node.owner.firstChild ?? nextAfter(node.owner, budget))
    : nextAfter(node, budget)
  while (at) {
    yield at
    at = at.firstChild ?? nextAfter(at, budget)
  }
}

/** The next node in document order that is not inside this one. */
function nextAfter(node: Node, budget: WorkBudget): Node | null {
  for (let at: Node | null = node; at; at = at.parentNode) {
    budget.spend(1)
    if (at.nextSibling) return at.nextSibling
  }
  return null
}

/** All nodes before this one but its ancestors, in reverse document order. */
function* precedingOf(node: XPathNode): Generator<Node> {
  const ancestors = new Set(ancestorsOf(node))
  let at: Node | null = isXPathAttribute(node) ? node.owner : node
  while (at) {
    const sibling: Node | null = at.previousSibling
    at = sibling ? lastInside(sibling) : at.parentNode
    if (at && !ancestors.has(at)) yield at
  }
}

function lastInside(node: Node): Node {
  let last = node
  while (last.lastChild) last = last.lastChild
  return last
}

/**
 * The part of the DOM that the formats use. TypeScript's own DOM types would also declare the globals
 * of a browser for the whole service. Walk with `firstChild` and `nextSibling`: `childNodes` builds an
 * array for each node. `cloneNode(true)`, `textContent` and `innerHTML` recurse over the depth, which
 * `parsePage` limits.
 */
export interface Node {
  readonly nodeType: number
  readonly nodeName: string
  nodeValue: string | null
  readonly parentNode: ParentNode | null
  readonly parentElement: Element | null
  readonly childNodes: ArrayLike<Node>
  readonly firstChild: Node | null
  readonly lastChild: Node | null
  readonly previousSibling: Node | null
  readonly nextSibling: Node | null
  readonly ownerDocument: Document | null
  textContent: string | null
  hasChildNodes(): boolean
  cloneNode(deep?: boolean): Node
  appendChild<T extends Node>(child: T): T
  insertBefore<T extends Node>(child: T, before: Node | null): T
  removeChild<T extends Node>(child: T): T
  replaceChild<T extends Node>(child: Node, replaced: T): T
  contains(other: Node | null): boolean
  /** Removes the node from its parent; text, comments and elements have it. */
  remove(): void
}

interface ParentNode extends Node {
  readonly children: ArrayLike<Element>
  readonly firstElementChild: Element | null
  readonly lastElementChild: Element | null
  /** Domino gives undefined where the standard says null. */
  querySelector(selectors: string): Element | null | undefined
  /** Not iterable in domino when the selector is a single name. */
  querySelectorAll(selectors: string): ArrayLike<Element> & Iterable<Element>
}

export interface Element extends ParentNode {
  /** In upper case for HTML, as written for SVG and MathML. */
  readonly tagName: string
  readonly localName: string
  readonly namespaceURI: string | null
  id: string
  className: string
  innerHTML: string
  readonly outerHTML: string
  readonly attributes: ArrayLike<Attribute>
  readonly nextElementSibling: Element | null
  readonly previousElementSibling: Element | null
  getAttribute(name: string): string | null
  setAttribute(name: string, value: string): void
  hasAttribute(name: string): boolean
  removeAttribute(name: string): void
  matches(selectors: string): boolean
  closest(selectors: string): Element | null
  getElementsByTagName(name: string): ArrayLike<Element>
  getElementsByClassName(names: string): ArrayLike<Element>
}

interface Attribute {
  readonly name: string
  value: string
}

export interface Document extends ParentNode {
  readonly documentElement: Element | null
  readonly head: Element | null
  readonly body: Element | null
  title: string
  createElement(name: string): Element
  createTextNode(text: string): Node
  createDocumentFragment(): ParentNode
  getElementById(id: string): Element | null
  getElementsByTagName(name: string): ArrayLike<Element>
  getElementsByClassName(names: string): ArrayLike<Element>
}

/** The values of `nodeType`. */
export const nodeTypes = { element: 1, text: 3, cdata: 4, comment: 8 } as const

export const isElement = (node: Node): node is Element => node.nodeType === nodeTypes.element

/** The next node in document order inside `root`, and with `isSkipped` without the node's children. */
export function nextNode(node: Node, root: Node, isSkipped = false): Node | null {
  if (!isSkipped && node.firstChild) return node.firstChild
  let current: Node | null = node
  while (current && current !== root) {
    if (current.nextSibling) return current.nextSibling
    current = current.parentNode
  }
  return null
}

/** The nodes inside `root` in document order, without recursion, however deep they are. */
export function* nodesIn(root: Node): Generator<Node> {
  for (let node = nextNode(root, root); node; node = nextNode(node, root)) yield node
}

/**
 * The beginning of an element's text with single spaces. It reads no more than needed: `textContent`
 * of each of many nested elements would take quadratic time.
 */
export function shortText(element: Node, charsMax: number): string {
  let text = ''
  let visits = 0
  let node: Node | null = element
  while (node && text.length <= charsMax && visits++ < visitsMax) {
    if (node.nodeType === nodeTypes.text) text += node.nodeValue ?? ''
    node = nextNode(node, element, node.nodeName === 'NOSCRIPT' || node.nodeName === 'SCRIPT')
  }
  return text.slice(0, charsMax).replace(/\s+/g, ' ').trim()
}

/** Each of many nested elements may be read. */
const visitsMax = 150

import { collapseSpace } from './collapse-space.ts'

/**
 * The tree of a parsed page: nodes that are linked to their neighbours, with what the formats read and no
 * more: a DOM takes longer to build (decision 0032). Nothing here recurses: a page may be nested deeply.
 */

/** The values of `nodeType`. */
export const nodeTypes = { element: 1, text: 3, cdata: 4, comment: 8, document: 9 } as const

export class Node {
  parentNode: Node | null = null
  firstChild: Node | null = null
  lastChild: Node | null = null
  previousSibling: Node | null = null
  nextSibling: Node | null = null
  readonly nodeType: number
  /** The text of a text or comment. */
  nodeValue: string | null

  constructor(nodeType: number, nodeValue: string | null = null) {
    this.nodeType = nodeType
    this.nodeValue = nodeValue
  }

  get parentElement(): Element | null {
    return this.parentNode && isElement(this.parentNode) ? this.parentNode : null
  }

  get firstElementChild(): Element | null {
    return elementFrom(this.firstChild)
  }

  /** All text inside, or that of a text or comment. */
  get textContent(): string {
    if (this.nodeValue !== null) return this.nodeValue
    let text = ''
    for (const node of nodesIn(this)) {
      if (node.nodeType === nodeTypes.text) text += node.nodeValue ?? ''
    }
    return text
  }

  contains(other: Node): boolean {
    let node: Node | null = other
    while (node && node !== this) node = node.parentNode
    return node === this
  }

  /** Moves the child from where it is. The caller makes sure that it does not contain this node. */
  appendChild(child: Node): void {
    this.insertBefore(child, null)
  }

  insertBefore(child: Node, given: Node | null): void {
    const before = given === child ? child.nextSibling : given
    child.remove()
    const previous = before ? before.previousSibling : this.lastChild
    child.parentNode = this
    child.previousSibling = previous
    child.nextSibling = before
    if (previous) previous.nextSibling = child
    else this.firstChild = child
    if (before) before.previousSibling = child
    else this.lastChild = child
  }

  remove(): void {
    const { parentNode, previousSibling, nextSibling } = this
    if (!parentNode) return
    if (previousSibling) previousSibling.nextSibling = nextSibling
    else parentNode.firstChild = nextSibling
    if (nextSibling) nextSibling.previousSibling = previousSibling
    else parentNode.lastChild = previousSibling
    this.parentNode = this.previousSibling = this.nextSibling = null
  }
}

export interface Attribute {
  readonly name: string
  readonly value: string
}

const htmlNamespace = 'http://www.w3.org/1999/xhtml'

export class Element extends Node {
  /** In lower case for HTML, as written for SVG and MathML. */
  readonly localName: string
  readonly namespaceURI: string
  readonly attributes: Attribute[]

  constructor(localName: string, attributes: Attribute[] = [], namespaceURI = htmlNamespace) {
    super(nodeTypes.element)
    this.localName = localName
    this.attributes = attributes
    this.namespaceURI = namespaceURI
  }

  get id(): string {
    return this.getAttribute('id') ?? ''
  }

  get className(): string {
    return this.getAttribute('class') ?? ''
  }

  get nextElementSibling(): Element | null {
    return elementFrom(this.nextSibling)
  }

  get previousElementSibling(): Element | null {
    let node = this.previousSibling
    while (node && !isElement(node)) node = node.previousSibling
    return node
  }

  getAttribute(name: string): string | null {
    for (const attribute of this.attributes) if (attribute.name === name) return attribute.value
    return null
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null
  }

  /** The element alone. */
  copy(): Element {
    return new Element(this.localName, this.attributes, this.namespaceURI)
  }
}

export class Document extends Node {
  #elementsById: Map<string, Element> | undefined

  constructor() {
    super(nodeTypes.document)
  }

  get documentElement(): Element | null {
    return this.firstElementChild
  }

  get body(): Element | null {
    let child = this.documentElement?.firstElementChild ?? null
    while (child && child.localName !== 'body' && child.localName !== 'frameset') {
      child = child.nextElementSibling
    }
    return child
  }

  get title(): string {
    const title = findElement(this, ({ localName }) => localName === 'title')
    return (title?.textContent ?? '').replace(/[\t\n\f\r ]+/g, ' ').trim()
  }

  /** The first with this id; the tree must not change any more. */
  getElementById(id: string): Element | null {
    this.#elementsById ??= this.#mapIds()
    return this.#elementsById.get(id) ?? null
  }

  #mapIds(): Map<string, Element> {
    const elements = new Map<string, Element>()
    for (const node of nodesIn(this)) {
      if (isElement(node) && node.id !== '' && !elements.has(node.id)) elements.set(node.id, node)
    }
    return elements
  }
}

export function documentOf(node: Node): Document | undefined {
  let top = node
  while (top.parentNode) top = top.parentNode
  return top instanceof Document ? top : undefined
}

export const createText = (text: string): Node => new Node(nodeTypes.text, text)

export const isElement = (node: Node): node is Element => node.nodeType === nodeTypes.element

function elementFrom(from: Node | null): Element | null {
  let node = from
  while (node && !isElement(node)) node = node.nextSibling
  return node
}

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

/** The nodes inside `root` in document order. */
export function* nodesIn(root: Node): Generator<Node> {
  for (let node = nextNode(root, root); node; node = nextNode(node, root)) yield node
}

export function findElement(root: Node, holds: (element: Element) => boolean): Element | undefined {
  for (const node of nodesIn(root)) if (isElement(node) && holds(node)) return node
  return undefined
}

/** Whether this holds for the element or one around it. */
export function isWithin(element: Element, holds: (element: Element) => boolean): boolean {
  let around: Element | null = element
  while (around && !holds(around)) around = around.parentElement
  return around !== null
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
    node = nextNode(node, element, isElement(node) && isTextless(node.localName))
  }
  return collapseSpace(text.slice(0, charsMax))
}

const isTextless = (name: string): boolean => name === 'noscript' || name === 'script'

/** Each of many nested elements may be read. */
const visitsMax = 150

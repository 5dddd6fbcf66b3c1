import { type Document, type Element, isElement, type Node, nodesIn } from '../dom/dom.ts'
import { type WorkBudget, walkSteps } from './work-budget.ts'

/** A node of XPath's data model, in which attributes are nodes too. */
export type XPathNode = Node | XPathAttribute

export interface XPathAttribute {
  readonly nodeType: 2
  readonly name: string
  readonly value: string
  readonly owner: Element
}

export const isXPathAttribute = (node: XPathNode): node is XPathAttribute => node.nodeType === 2

/** What XPath needs to know about a document beyond its nodes; shared by all rules. */
export class XPathDocument {
  readonly document: Document
  readonly budget: WorkBudget
  readonly #attributes = new Map<Element, XPathAttribute[]>()
  #positions: Map<Node, number> | undefined

  constructor(document: Document, budget: WorkBudget) {
    this.document = document
    this.budget = budget
  }

  /** The same objects at each call, because sets of nodes compare them by identity. */
  attributesOf(node: XPathNode): XPathAttribute[] {
    if (isXPathAttribute(node) || !isElement(node)) return []
    const known = this.#attributes.get(node)
    if (known) return known
    const made = Array.from(
      node.attributes,
      ({ name, value }): XPathAttribute => ({
        nodeType: 2,
        name: name.toLowerCase(),
        value,
        owner: node,
      }),
    )
    this.#attributes.set(node, made)
    return made
  }

  /** Sorts nodes into document order, unless they are in that order already, as they mostly are. */
  sort(nodes: XPathNode[]): XPathNode[] {
    this.budget.spend(nodes.length * walkSteps)
    const placed = nodes.map((node) => ({ node, place: this.placeOf(node) }))
    const isSorted = placed.every(({ place }, index) => place >= (placed[index - 1]?.place ?? 0))
    if (isSorted) return nodes
    this.budget.spend(nodes.length * 16)
    return placed.sort((a, b) => a.place - b.place).map(({ node }) => node)
  }

  /** The place of the last node inside this one. */
  endOf(node: XPathNode): number {
    if (isXPathAttribute(node)) return this.placeOf(node)
    let last: Node = node
    while (last.lastChild) last = last.lastChild
    return this.#positionOf(last)
  }

  /** The place in document order, where attributes stand between their element and the next node. */
  placeOf(node: XPathNode): number {
    if (!isXPathAttribute(node)) return this.#positionOf(node)
    const list = this.attributesOf(node.owner)
    return this.#positionOf(node.owner) + (list.indexOf(node) + 1) / (list.length + 2)
  }

  /** Comparing two nodes in the tree takes as long as it is deep, so all are numbered once. */
  #positionOf(node: Node): number {
    if (!this.#positions) {
      this.#positions = new Map([[this.document, 1]])
      for (const inner of nodesIn(this.document))
        this.#positions.set(inner, this.#positions.size + 1)
    }
    return this.#positions.get(node) ?? 0
  }

  /** XPath's string value: all text inside an element, or the value of any other node. */
  stringOf(node: XPathNode): string {
    if (isXPathAttribute(node)) return this.#charged(node.value)
    if (node.nodeType !== 1 && node.nodeType !== 9) return this.#charged(node.nodeValue ?? '')
    let text = ''
    for (const inner of nodesIn(node)) {
      this.budget.spend(walkSteps)
      if (inner.nodeType === 3 || inner.nodeType === 4) text += inner.nodeValue ?? ''
    }
    return this.#charged(text)
  }

  /** Whoever asks for a text reads it. */
  #charged(text: string): string {
    this.budget.spend(text.length >> 4)
    return text
  }
}

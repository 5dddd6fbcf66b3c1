import { parseUrl } from '../../domain/parse-url.ts'
import { type Document, type Element, isElement, type Node, nextNode } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { isBlock } from './element-kinds.ts'
import { findFootnotes } from './footnotes.ts'

/** What the conversion knows about a page before it starts. */
export type PageParts = ReturnType<typeof findPageParts>

export function findPageParts(root: Element, address: string, document?: Document) {
  // In the same spelling as the links that are resolved against it.
  const baseUrl = parseUrl(address)?.href ?? address
  return {
    baseUrl,
    footnotes: findFootnotes(root, baseUrl, document),
    /** Notes in the margin; the conversion adds them where the text has them, and they become footnotes. */
    sidenotes: [] as { label: string; element: Element }[],
    /** Inline elements with a block somewhere inside, such as a link around a whole card. */
    holders: findHolders(root),
  }
}

/** Marks the ancestors of each block up to the first marked one, so that the whole takes one pass. */
function findHolders(root: Element): Set<Element> {
  const holders = new Set<Element>()
  for (let node: Node | null = root; node; node = nextNode(node, root, isOpaque(node))) {
    if (!isElement(node) || !isBlock(node)) continue
    let parent = node === root ? null : node.parentElement
    while (parent && parent !== root && !holders.has(parent)) {
      holders.add(parent)
      parent = parent.parentElement
    }
  }
  return holders
}

const opaqueNames = wordSet('svg math template script style select noscript button mjx-container')
const isOpaque = (node: Node): boolean => isElement(node) && opaqueNames.has(node.localName)

import { type Node, nextNode, nodeTypes } from './dom.ts'

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

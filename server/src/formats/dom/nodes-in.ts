import type { Node } from './dom.ts'

/** The nodes inside `root` in document order, without recursion, however deep they are. */
export function* nodesIn(root: Node): Generator<Node> {
  for (let node = next(root, root); node; node = next(node, root)) yield node
}

function next(node: Node, root: Node): Node | null {
  if (node.firstChild) return node.firstChild
  for (let at: Node | null = node; at && at !== root; at = at.parentNode) {
    if (at.nextSibling) return at.nextSibling
  }
  return null
}

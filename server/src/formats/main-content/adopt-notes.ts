import { type Element, isElement, type Node, nextNode } from '../dom/dom.ts'
import { readHints } from './name-hints.ts'
import type { StatsOf } from './text-mass.ts'

const sectionsMax = 3

/** Moves the footnotes, which may stand outside of the element with the text, to its end. */
export function adoptNotes(whole: Element, root: Element, stats: StatsOf): void {
  if (root === whole) return
  const sections: Element[] = []
  let node: Node | null = nextNode(root, whole, true)
  while (node && sections.length < sectionsMax) {
    const isNotes: boolean =
      isElement(node) && readHints(node).isFootnote && (stats.get(node)?.chars ?? 0) > 0
    if (isNotes) sections.push(node as Element)
    node = nextNode(node, whole, isNotes)
  }
  for (const section of sections) root.appendChild(section)
}

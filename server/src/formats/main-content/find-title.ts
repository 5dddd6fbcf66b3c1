import {
  type Element,
  isElement,
  isWithin,
  type Node,
  nextNode,
  nodeTypes,
  shortText,
} from '../dom/dom.ts'
import { type ContentFacts, comparable } from './content-facts.ts'

/** The heading that repeats the page's title, or else the first heading of the first level, or any such line. */
export function findTitle(root: Element, facts: ContentFacts): Element | undefined {
  let found: Element | undefined
  let most = 0
  for (let node: Node | null = root; node; node = nextNode(node, root)) {
    if (!isElement(node) || !/^h[1-3]$/.test(node.localName)) continue
    const score = scoreTitle(comparable(shortText(node, 500)), node.localName === 'h1', facts)
    if (score <= most) continue
    found = node
    most = score
  }
  return found ?? findTitleLine(root, facts)
}

const isInLink = ({ parentElement }: Node): boolean =>
  parentElement !== null && isWithin(parentElement, ({ localName }) => localName === 'a')

const titleLineCharsMin = 10

/** Old pages write their title as large text. */
function findTitleLine(root: Element, { titles }: ContentFacts): Element | undefined {
  const charsMax = 2 * Math.max(0, ...titles.map((title) => title.length))
  for (let node: Node | null = root; node; node = nextNode(node, root)) {
    if (node.nodeType !== nodeTypes.text) continue
    const text = node.nodeValue ?? ''
    if (text.length < titleLineCharsMin || text.length > charsMax) continue
    if (titles.includes(comparable(text)) && !isInLink(node)) {
      return lineAround(node, root)
    }
  }
  return undefined
}

/** The outermost element with nothing but this text. */
function lineAround(text: Node, root: Element): Element | undefined {
  let line: Node = text
  while (line.parentElement && line.parentElement !== root) {
    const { parentElement } = line
    if (parentElement.firstChild !== line || line.nextSibling) break
    line = parentElement
  }
  return isElement(line) ? line : undefined
}

function scoreTitle(text: string, isFirstLevel: boolean, { titles }: ContentFacts): number {
  if (text.length < 4) return 0
  const rank = isFirstLevel ? 1 : 0
  if (titles.includes(text)) return 4 + rank
  const isMostOfIt = titles.some(
    (title) => title.includes(text) && text.length > (isFirstLevel ? 12 : title.length * 0.6),
  )
  return isMostOfIt ? 2 + rank : rank
}

import { type Element, isElement, type Node, nextNode } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import type { ContentFacts } from './content-facts.ts'
import { readHints } from './name-hints.ts'
import { isCode, isInline, type StatsOf, type TextStats } from './text-mass.ts'

/** Removes what is around the content and what readers added to it, by its element, role and names. */
export function removeSurroundings(
  root: Element,
  stats: StatsOf,
  title: Element | undefined,
  facts: ContentFacts,
): void {
  const total = stats.get(root)?.prose || 1
  const kept = findHolders(root, title, stats)
  let node = nextNode(root, root)
  while (node) {
    const own = stats.get(node)
    const isRemoved: boolean =
      isElement(node) &&
      !kept.has(node) &&
      (own?.prose ?? 0) / total <= limitShare(node, facts, own)
    const removed = isRemoved ? node : undefined
    node = nextNode(node, root, isRemoved || isCode(node))
    removed?.remove()
  }
}

const surroundingTags = wordSet('nav footer aside dialog menu')
const surroundingRoles = wordSet(
  'navigation banner contentinfo complementary search dialog menu menubar toolbar alertdialog tooltip tablist',
)
/** Their names say something about the whole page or about their text, not about what they are for. */
const unnamedTags = wordSet(
  'article main body html h1 h2 h3 h4 h5 h6 code pre table thead tbody tr td th blockquote em strong b i math',
)
const shortTags = wordSet('p li section')
/** Notes and warnings beside the text belong to it. */
const calloutTags = wordSet('aside div section p')

const isMostlyLinks = (own: TextStats | undefined): boolean =>
  own !== undefined && own.linkChars > 0.5 * own.chars

/** Something named as a surrounding that has more of the page's prose is the content all the same. */
const tagShareMax = 0.65
const nameShareMax = 0.5
const shortShareMax = 0.2
const discussionShareMax = 0.9
const never = -1

/** The largest share of the page's prose with which the element is removed. */
function limitShare(element: Element, facts: ContentFacts, own: TextStats | undefined): number {
  const name = element.localName
  const hints = readHints(element)
  if (hints.isFootnote || hints.isFormula) return never
  if (hints.isCallout && calloutTags.has(name) && !isMostlyLinks(own)) return never
  if (surroundingTags.has(name)) return tagShareMax
  if (surroundingRoles.has(element.getAttribute('role') ?? '')) return tagShareMax
  if (hints.isDiscussion && !facts.isForum) return discussionShareMax
  const { chars, linkChars } = own ?? { chars: 0, linkChars: 0 }
  const isNamed = hints.isSurrounding || (hints.isLinkList && linkChars > 0.2 * chars)
  if (!isNamed || hints.isBody || unnamedTags.has(name)) return never
  // A word with a tooltip or a link to a network is part of its sentence.
  if (isInline(element) && element.parentElement?.localName === 'p') return never
  // A quoted post of a social network stands in an element that is named after the network.
  if (element.firstElementChild?.localName === 'blockquote') return never
  if (!shortTags.has(name)) return nameShareMax
  return chars < 300 || name === 'section' ? shortShareMax : never
}

/** The elements around the title and around the text of the article, whose names do not count. */
function findHolders(root: Element, title: Element | undefined, stats: StatsOf): Set<Node> {
  const proseMin = (stats.get(root)?.prose || 1) * 0.3
  const holders = new Set<Node>()
  const add = (element: Element): void => {
    let node: Node | null = element
    for (; node && !holders.has(node); node = node.parentNode) holders.add(node)
  }
  if (title) add(title)
  for (let node: Node | null = root; node; node = nextNode(node, root)) {
    if (!isElement(node) || (stats.get(node)?.prose ?? 0) < proseMin) continue
    if (isContentHolder(node, title) && !isBesideContent(node, root)) add(node)
  }
  return holders
}

function isContentHolder(element: Element, title: Element | undefined): boolean {
  if (element.localName === 'main') return true
  if (element.localName === 'article') return !title || element.contains(title)
  return element.getAttribute('itemprop') === 'articleBody' || readHints(element).isBody
}

function isBesideContent(element: Element, root: Element): boolean {
  for (let node: Element | null = element; node && node !== root; node = node.parentElement) {
    if (surroundingTags.has(node.localName) || readHints(node).isDiscussion) return true
  }
  return false
}

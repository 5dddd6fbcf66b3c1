import { type Element, isElement, isWithin, type Node, nextNode } from '../dom/dom.ts'
import { readHints } from './name-hints.ts'
import type { StatsOf } from './text-mass.ts'

const leadParagraphsMax = 3
const leadCharsMin = 60
/** Shorter sentences under a title are a second title unless their name says that they are the lead. */
const unnamedLeadCharsMin = 140

/** Moves the lead and its picture, which often stand between the title and the text, into the text. */
export function adoptLead(
  whole: Element,
  root: Element,
  title: Element | undefined,
  stats: StatsOf,
): void {
  if (!title || root === whole) return
  const around = new Set<Node>()
  for (let node: Node | null = root; node; node = node.parentNode) around.add(node)
  const lead: Element[] = []
  let node = nextNode(title, whole, true)
  while (node && node !== root) {
    const isLead: boolean = isElement(node) && !around.has(node) && isLeadText(node, stats)
    if (isLead) lead.push(node as Element)
    node = nextNode(node, whole, isLead)
  }
  // Without meeting the root, the title is inside it or below it.
  if (node !== root) return
  for (const element of lead.slice(-leadParagraphsMax).reverse()) {
    root.insertBefore(element, root.firstChild)
  }
}

function isLeadText(element: Element, stats: StatsOf): boolean {
  const own = stats.get(element)
  if (pictureTags.has(element.localName)) return own !== undefined && own.figures > 0
  if (own?.paragraphs !== 1 || own.prose < leadCharsMin) return false
  if (own.linkChars > own.chars * 0.3 || own.prose < own.chars * 0.9) return false
  if (/^h\d$/.test(element.localName)) return false
  const names = `${element.className} ${element.id}`
  if (secondTitle.test(names)) return false
  if (own.chars < unnamedLeadCharsMin && !leadName.test(names)) return false
  const hints = readHints(element)
  if (hints.isByline || hints.isCaption || hints.isSurrounding) return false
  return !isWithin(element, isFigureOrCaption)
}

const isFigureOrCaption = ({ localName, className }: Element): boolean =>
  localName === 'figure' || localName === 'figcaption' || className.includes('caption')

const pictureTags = new Set(['figure', 'amp-img'])

const secondTitle = /dec?k\b|sub-?(?:title|head|line)|standfirst|strapline|headline/i
const leadName = /lead|lede|intro|abstract|summary|excerpt|vorspann|chapo|sapo/i

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

import { type Element, isElement, type Node, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'

/** What an element holds, with everything inside it. */
export interface TextStats {
  /** Visible characters without white space; one East Asian character counts as three. */
  chars: number
  linkChars: number
  /** The characters of blocks that read like sentences or code rather than links and labels. */
  prose: number
  /** The number of such blocks. */
  paragraphs: number
  /** The part of the prose that is code. */
  code: number
  /** Images, tables, code blocks and subheadings. */
  figures: number
}

export type StatsOf = ReadonlyMap<Node, TextStats>

/** Measures every element inside `root`, in one pass. */
export function measure(root: Element): StatsOf {
  const all = new Map<Node, TextStats>()
  const frames: Frame[] = [openFrame(root, undefined)]
  let node: Node | null = root.firstChild
  while (node) {
    const top = frames.at(-1)
    if (node.nodeType === nodeTypes.text) addText(top, node.nodeValue ?? '')
    else if (isElement(node)) {
      frames.push(openFrame(node, top))
      if (node.firstChild) {
        node = node.firstChild
        continue
      }
      closeFrame(frames, all)
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode
      if (node !== root) closeFrame(frames, all)
    }
    node = node && node !== root ? node.nextSibling : null
  }
  closeFrame(frames, all)
  return all
}

const inline = wordSet(
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr picture q rp rt ruby s samp small span strike strong sub sup svg time tt u var wbr',
)
const figures = wordSet('img amp-img picture pre table h2 h3 h4 h5 video audio math')

/** Their text is markup or a formula for a program. */
const unread = wordSet('script noscript')

export const isInline = (element: Element): boolean => inline.has(element.localName)

/** Classes inside of code are those of a highlighter, such as `comment`, and say nothing about the page. */
export const isCode = (node: Node): boolean =>
  isElement(node) && (node.localName === 'pre' || node.localName === 'code')

/** An element whose end has not been reached. */
interface Frame {
  element: Element
  stats: TextStats
  /** The text of this block outside of the blocks inside it. */
  ownChars: number
  ownLinkChars: number
  isLink: boolean
}

function openFrame(element: Element, parent: Frame | undefined): Frame {
  const isFigure = figures.has(element.localName)
  return {
    element,
    stats: { chars: 0, linkChars: 0, prose: 0, paragraphs: 0, code: 0, figures: isFigure ? 1 : 0 },
    ownChars: 0,
    ownLinkChars: 0,
    isLink: (parent?.isLink ?? false) || isLink(element),
  }
}

/** Links within the page, such as footnotes, are part of the text. */
const isLink = (element: Element): boolean =>
  element.localName === 'a' && !/^\s*(?:#|javascript:)/i.test(element.getAttribute('href') ?? '#')

function addText(frame: Frame | undefined, text: string): void {
  if (!frame || unread.has(frame.element.localName)) return
  const chars = weigh(text)
  frame.ownChars += chars
  if (frame.isLink) frame.ownLinkChars += chars
}

function closeFrame(frames: Frame[], all: Map<Node, TextStats>): void {
  const frame = frames.pop()
  if (!frame) return
  const { element, stats, ownChars, ownLinkChars } = frame
  const parent = frames.at(-1)
  if (parent) addStats(parent.stats, stats)
  // The text of an inline element belongs to the block around it.
  if (parent && isInline(element)) {
    parent.ownChars += ownChars
    parent.ownLinkChars += ownLinkChars
    stats.chars += ownChars
    stats.linkChars += ownLinkChars
  } else {
    const isProse = isProseBlock(frame)
    const own = {
      chars: ownChars,
      linkChars: ownLinkChars,
      prose: isProse ? ownChars - ownLinkChars : 0,
      paragraphs: isProse ? 1 : 0,
      code: element.localName === 'pre' ? ownChars : 0,
      figures: 0,
    }
    addStats(stats, own)
    if (parent) addStats(parent.stats, own)
  }
  all.set(element, stats)
}

function addStats(sum: TextStats, part: TextStats): void {
  sum.chars += part.chars
  sum.linkChars += part.linkChars
  sum.prose += part.prose
  sum.paragraphs += part.paragraphs
  sum.code += part.code
  sum.figures += part.figures
}

const proseCharsMin = 50

function isProseBlock({ element, ownChars, ownLinkChars }: Frame): boolean {
  if (element.localName === 'pre') return true
  return ownChars >= proseCharsMin && ownLinkChars < ownChars * 0.5
}

function weigh(text: string): number {
  let weight = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code <= 32 || code === 0xa0) continue
    weight += code >= 0x2e80 && code <= 0xffdc ? 3 : 1
  }
  return weight
}

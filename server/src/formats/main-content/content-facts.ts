import {
  type Document,
  type Element,
  isElement,
  isWithin,
  type Node,
  nextNode,
} from '../dom/dom.ts'
import type { PageDocument } from '../dom/page-document.ts'

/** What the page says about itself. */
export type ContentFacts = ReturnType<typeof readContentFacts>

export function readContentFacts({ document, url }: PageDocument) {
  const marks = readMarks(document)
  const { meta } = marks
  const types = `${marks.types.join(' ')} ${meta.get('og:type') ?? ''}`
  const isTechnical = marks.isTechnical || /wiki/i.test(meta.get('generator') ?? '')
  return {
    /** The titles that the page gives itself, in the form of `comparable`. */
    titles: [document.title, meta.get('og:title') ?? '', meta.get('twitter:title') ?? '']
      .map(comparable)
      .filter((title) => title.length > 3),
    /** An article for many readers, whose captions and inserted links are not part of the text. */
    isNews: !isTechnical && /article|BlogPosting/i.test(types),
    /** What readers write is the content. */
    isForum: /DiscussionForumPosting|QAPage/.test(types) || forumPath.test(url),
    /** A page with code or formulas, or a wiki: lists of links and captions belong to it. */
    isTechnical,
    isProduct: marks.isProduct || /product/i.test(types),
  }
}

const forumPath =
  /\/(?:forums?|threads?|discussions?|questions|topics?|viewtopic|showthread)\b|\/item\?id=|\/comments\//i

/** Letters and digits in lower case, for comparing titles whatever their punctuation. */
export const comparable = (text: string): string =>
  text
    .slice(0, 1000)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** What single elements say about the page. */
interface Marks {
  meta: Map<string, string>
  /** The types in JSON-LD. */
  types: string[]
  isTechnical: boolean
  isProduct: boolean
}

/** One walk over the document, as each selector would take one of its own. */
function readMarks(document: Document): Marks {
  const marks: Marks = { meta: new Map(), types: [], isTechnical: false, isProduct: false }
  for (let node: Node | null = document; node; node = nextNode(node, document)) {
    if (!isElement(node)) continue
    readers.get(node.localName)?.(node, marks)
    if (node.className !== '' && technicalClass.test(node.className)) marks.isTechnical = true
    if (node.getAttribute('itemtype')?.endsWith('schema.org/Product')) marks.isProduct = true
  }
  return marks
}

const technicalClass = /(?:^|\s)(?:katex|MathJax|mw-parser-output)(?:\s|$)/

// A map, as a page may have an element named `__proto__`.
const readers = new Map<string, (element: Element, marks: Marks) => void>([
  ['meta', readMeta],
  ['script', readJsonLd],
  ['pre', markTechnical],
  ['math', markTechnical],
  ['h1', readFirstHeading],
])

function markTechnical(_: Element, marks: Marks): void {
  marks.isTechnical = true
}

function readFirstHeading(element: Element, marks: Marks): void {
  if (isWithin(element, isProduct)) marks.isProduct = true
}

const isProduct = ({ className }: Element): boolean =>
  /(?:^|\s)product(?:-page)?(?:\s|$)/.test(className)

function readMeta(element: Element, { meta }: Marks): void {
  const name = (element.getAttribute('property') ?? element.getAttribute('name'))?.toLowerCase()
  const content = element.getAttribute('content')
  if (name && content && !meta.has(name)) meta.set(name, content)
}

const jsonLdCharsMax = 200_000
const typesMax = 1_000

function readJsonLd(element: Element, { types }: Marks): void {
  if (element.getAttribute('type') !== 'application/ld+json' || types.length > typesMax) return
  const text = (element.textContent ?? '').slice(0, jsonLdCharsMax)
  for (const [, type] of text.matchAll(/"@type"\s*:\s*"([A-Za-z]{1,40})"/g)) types.push(type ?? '')
}

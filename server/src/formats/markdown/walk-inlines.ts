import { collapseSpace } from '../dom/collapse-space.ts'
import { type Element, isElement, type Node, nextNode, nodeTypes } from '../dom/dom.ts'
import { isRowOfBoxes } from './block-pieces.ts'
import { codeText } from './code-text.ts'
import { classOf, isBlock, styleOf } from './element-kinds.ts'
import { codeSpan, escapeText } from './escape-markdown.ts'
import { findFormula, formulaMarkdown, splitFormulas } from './formulas.ts'
import { isHidden } from './hidden-elements.ts'
import {
  alternativeText,
  formulaOf,
  imageSource,
  isEmojiImage,
  isFormulaImage,
} from './image-source.ts'
import type { InlineWriter, Mark } from './inline-writer.ts'
import { imageUrl, linkUrl } from './link-target.ts'
import type { PageParts } from './page-parts.ts'

/** Deeper elements lose their markup and keep their text, so that recursion has an end. */
export const depthMax = 400

export interface InlinePlace {
  page: PageParts
  writer: InlineWriter
  depth: number
  isHeading: boolean
  /** The page shows line breaks of the source. */
  isPreformatted: boolean
}

/** Writes a node that is part of a line of text. */
export function writeInline(node: Node, place: InlinePlace): void {
  if (node.nodeType === nodeTypes.text || node.nodeType === nodeTypes.cdata) {
    writeText(node.nodeValue ?? '', place)
  } else if (isElement(node)) writeElement(node, place)
}

function writeText(text: string, { writer, isPreformatted }: InlinePlace): void {
  for (const part of splitFormulas(text)) {
    if (typeof part !== 'string') writer.atom(formulaMarkdown(part))
    else if (isPreformatted) writer.preformatted(part)
    else writer.text(part)
  }
}

function writeElement(element: Element, place: InlinePlace): void {
  const { page, writer, depth } = place
  if (depth > depthMax) {
    writeFlat(element, writer)
    return
  }
  const formula = findFormula(element)
  if (formula) {
    if (formula.tex !== '') writer.atom(formulaMarkdown(formula))
    return
  }
  if (isHidden(element) || page.footnotes.backlinks.has(element)) return
  const label = page.footnotes.references.get(element)
  if (label !== undefined) {
    writer.atom(`[^${label}]`)
    return
  }
  const inner = { ...place, depth: depth + 1 }
  const handle = handlers.get(element.localName)
  if (handle) handle(element, inner)
  else if (isSidenote(element)) writeSidenote(element, inner)
  else if (isBlock(element)) {
    writer.space()
    writeChildren(element, inner)
    writer.space()
  } else writeStyled(element, inner)
}

function writeChildren(parent: Element, place: InlinePlace): void {
  const isRow = parent.localName === 'a' && isRowOfBoxes(parent)
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    if (isRow) place.writer.space()
    writeInline(child, place)
  }
}

/** The text of an element without its markup, without recursion. */
export function writeFlat(element: Element, writer: InlineWriter): void {
  let node = nextNode(element, element)
  while (node) {
    const isSkipped = isElement(node) && isHidden(node)
    if (isElement(node) && isBlock(node)) writer.space()
    else if (node.nodeType === nodeTypes.text) writer.text(node.nodeValue ?? '')
    node = nextNode(node, element, isSkipped)
  }
}

type InlineHandler = (element: Element, place: InlinePlace) => void

const marked =
  (mark: Mark): InlineHandler =>
  (element, place) => {
    const isOpened = place.writer.open(mark)
    writeChildren(element, place)
    if (isOpened) place.writer.close()
  }

const strong: InlineHandler = (element, place) => {
  // A document pasted from Google Docs stands in a `b` whose style takes the weight away.
  const isPlain =
    place.isHeading || /font-weight\s*:\s*(?:normal|400)/.test(styleOf(element).slice(0, 500))
  if (isPlain) writeChildren(element, place)
  else marked('strong')(element, place)
}

const raised: InlineHandler = (element, place) => {
  // Ordinals and trademarks read well without the mark.
  const isSuffix = /^\s*(?:st|nd|rd|th|er|re|e|ème|ère|o|a|º|ª|tm|sm|™|®)\s*$/i
  const [only] = [element.firstChild]
  const isPlain =
    (only && !only.nextSibling && isSuffix.test(only.nodeValue ?? '')) ||
    holdsReference(element, place)
  if (isPlain) writeChildren(element, place)
  else marked('superscript')(element, place)
}

/** A superscript around several references; they are raised by themselves. */
function holdsReference(element: Element, { page }: InlinePlace): boolean {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    if (page.footnotes.references.has(child)) return true
  }
  return false
}

const code: InlineHandler = (element, place) => {
  const text = collapseSpace(codeText(element))
  if (text === '') {
    writeChildren(element, place)
    return
  }
  if (/(?:^|\s)(?:language-)?math(?:\s|$)/.test(classOf(element))) {
    place.writer.atom(formulaMarkdown({ tex: text, isDisplay: false }))
    return
  }
  const only = element.firstElementChild
  const isLinked = only?.localName === 'a' && only.firstChild && codeText(only).trim() === text
  const url = isLinked ? linkUrl(only.getAttribute('href'), place.page.baseUrl) : undefined
  const isOpened = url !== undefined && place.writer.open('link', url)
  place.writer.atom(codeSpan(text))
  if (isOpened) place.writer.close()
}

const link: InlineHandler = (element, place) => {
  const href = element.getAttribute('href')
  const { page, writer } = place
  if (isPermalink(element, href, place.isHeading)) return
  const url = linkUrl(href, page.baseUrl)
  const isOwnPlace = place.isHeading && url?.startsWith(`${page.baseUrl.split('#')[0]}#`)
  const isOpened = url !== undefined && !isOwnPlace && writer.open('link', url)
  writeChildren(element, place)
  if (isOpened) writer.close()
}

const permalinkClass =
  /(?:^|\s)(?:anchor|permalink|heading-anchor|anchor-link|heading-link|section-link|direct-link|zola-anchor|self-link|header-?link|tl-anchor)(?:\s|$)/i
const permalinkText =
  /^(?:[\s#¶§∞*\u200b]|\ufe0e|\ufe0f|🔗|⚓)*$|^(?:permalink|permanent link|anchor|link|direct link|copy link)\b/iu

/** The sign beside a heading that links to the heading. */
export function isPermalink(anchor: Element, href: string | null, isHeading: boolean): boolean {
  if (!isHeading && !(href?.includes('#') && permalinkClass.test(classOf(anchor)))) return false
  let text = ''
  for (
    let node = nextNode(anchor, anchor);
    node && text.length < 40;
    node = nextNode(node, anchor)
  ) {
    if (isElement(node) && node.localName === 'img') return false
    if (node.nodeType === nodeTypes.text) text += node.nodeValue ?? ''
  }
  return permalinkText.test(text.trim())
}

const image: InlineHandler = (element, { page, writer }) => {
  const alt = alternativeText(element)
  if (isEmojiImage(element) && alt !== '') {
    writer.text(alt)
    return
  }
  const formula = isFormulaImage(element) ? formulaOf(element) : ''
  if (formula !== '') {
    const tex = formula.replace(/^\$+|\$+$/g, '').replace(/^\{\\displaystyle (.*)\}$/, '$1')
    writer.atom(formulaMarkdown({ tex: tex.trim(), isDisplay: false }))
    return
  }
  const url = imageSource(element, page.baseUrl)
  if (url === undefined) return
  const description = escapeText(alt, { before: '', after: '', isInLink: true })
  writer.atom(`![${description}](${url})`)
}

/** A frame, a video or a sound is a link to what it shows. */
const embed: InlineHandler = (element, { page, writer }) => {
  if (/^[01](?:px)?$/.test(element.getAttribute('width') ?? '')) return
  if (element.localName === 'embed' && /\.swf\b/.test(element.getAttribute('src') ?? '')) return
  const url = imageUrl(mediaSource(element), page.baseUrl)
  if (url === undefined) return
  const title = element.getAttribute('title') ?? element.getAttribute('aria-label') ?? ''
  const isOpened = writer.open('link', url)
  writer.text(title.trim() === '' ? embedName(element, url) : title.slice(0, 300))
  if (isOpened) writer.close()
}

/** What to call a frame or a video without a title: the address would be read as text. */
const embedName = (element: Element, url: string): string =>
  ({ video: 'Video', audio: 'Audio' })[element.localName] ??
  new URL(url).hostname.replace(/^www\./, '')

function mediaSource(element: Element): string | null {
  const own = element.getAttribute('src') ?? element.getAttribute('data-src')
  if (own && !own.startsWith('about:')) return own
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === 'source') return child.getAttribute('src')
  }
  return element.getAttribute('data-src')
}

/** Shows the images that a script would have loaded, unless the image beside it is there already. */
const noscript: InlineHandler = (element, place) => {
  for (const sibling of [element.previousElementSibling, element.nextElementSibling]) {
    const shown = sibling && findImage(sibling)
    if (shown && imageSource(shown, place.page.baseUrl) !== undefined) return
  }
  const fallback = findImage(element)
  if (fallback) image(fallback, place)
}

function findImage(element: Element): Element | undefined {
  let node: Node | null = element
  for (let seen = 0; node && seen < 20; seen++, node = nextNode(node, element)) {
    if (isElement(node) && node.localName === 'img') return node
  }
  return undefined
}

const quotation: InlineHandler = (element, place) => {
  place.writer.text('“')
  writeChildren(element, place)
  place.writer.text('”')
}

/** Readings of characters stand in brackets behind them. */
const ruby: InlineHandler = (element, place) => {
  place.writer.text('(')
  writeChildren(element, place)
  place.writer.text(')')
}

// A map, as a page may have an element named `constructor`.
const handlers = new Map(
  Object.entries<InlineHandler>({
    a: link,
    'amp-anim': image,
    'amp-iframe': embed,
    'amp-img': image,
    'amp-video': embed,
    audio: embed,
    b: strong,
    br: (_, { writer }) => writer.break(),
    code,
    del: marked('strike'),
    em: marked('emphasis'),
    embed,
    hr: (_, { writer }) => writer.space(),
    i: marked('emphasis'),
    iframe: embed,
    img: image,
    kbd: code,
    noscript,
    q: quotation,
    rt: ruby,
    s: marked('strike'),
    samp: code,
    strike: marked('strike'),
    strong,
    sub: marked('subscript'),
    sup: raised,
    tt: code,
    video: embed,
    wbr: () => {},
  }),
)

/** Editors write bold and italic text as spans with a style. */
function writeStyled(element: Element, place: InlinePlace): void {
  const style = styleOf(element).slice(0, 1000)
  const isBold = !place.isHeading && /font-weight\s*:\s*(?:bold|[6-9]00)/.test(style)
  const isItalic = /font-style\s*:\s*(?:italic|oblique)/.test(style)
  const isStruck = /text-decoration[\w-]*\s*:\s*line-through/.test(style)
  const marks: Mark[] = []
  if (isBold && place.writer.open('strong')) marks.push('strong')
  if (isItalic && place.writer.open('emphasis')) marks.push('emphasis')
  if (isStruck && place.writer.open('strike')) marks.push('strike')
  writeChildren(element, place)
  for (const _ of marks) place.writer.close()
}

const isSidenote = (element: Element): boolean =>
  /^(?:span|small|aside)$/.test(element.localName) &&
  /(?:^|\s)(?:sidenote|marginnote|margin-note|inline-footnote|footnote-inline)(?:\s|$)/.test(
    classOf(element),
  )

function writeSidenote(element: Element, { page, writer }: InlinePlace): void {
  const { references, definitions } = page.footnotes
  const before = element.previousElementSibling
  // The margin repeats a footnote that the page also has at its end.
  if (before && references.has(before)) return
  const number = page.sidenotes.length + 1
  const label = definitions.size === 0 ? String(number) : `side-${number}`
  page.sidenotes.push({ label, element: noteContent(element) })
  writer.atom(`[^${label}]`)
}

/** Where the mark and the note are one element, the note is inside. */
function noteContent(element: Element): Element {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    if (/(?:^|\s)(?:foot|side)-?note-?content(?:\s|$)/i.test(classOf(child))) return child
  }
  return element
}

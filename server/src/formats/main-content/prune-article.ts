import { type Element, isElement, type Node, nextNode, shortText } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import type { ContentFacts } from './content-facts.ts'
import { readHints } from './name-hints.ts'
import { isLabel, startsCall, startsRelated } from './phrases.ts'
import { isCode, isInline, measure, type StatsOf, type TextStats } from './text-mass.ts'

/** Removes what precedes and interrupts the text of an article: bylines, captions, other articles. */
export function pruneArticle(root: Element, title: Element | undefined, facts: ContentFacts): void {
  const stats = measure(root)
  const total = stats.get(root)?.prose || 1
  if (title && root.contains(title)) removeBefore(root, title, stats, facts)
  const article: Article = {
    facts,
    total,
    hasCaptions: !facts.isNews || captionShare(root, stats, total) >= captionShareMax,
    isSeries: facts.isNews && total - teaserProse(root, stats, total) < seriesProseMax,
    isBegun: false,
  }
  let node = nextNode(root, root)
  while (node) {
    const own = stats.get(node)
    const isRemoved: boolean =
      isElement(node) && own !== undefined && node !== title && isPruned(node, own, article)
    if (!isRemoved && own && own.paragraphs > 0 && textTags.has((node as Element).localName)) {
      article.isBegun = true
    }
    const removed = isRemoved ? node : undefined
    node = nextNode(node, root, isRemoved || isCode(node))
    removed?.remove()
  }
}

interface Article {
  facts: ContentFacts
  /** The characters of all prose. */
  total: number
  /** Captions belong to the text. */
  hasCaptions: boolean
  /** A page of teasers or of short posts, one `article` each. */
  isSeries: boolean
  /** The first sentences have been met. */
  isBegun: boolean
}

const textTags = wordSet('p pre li td blockquote div span')

/** A page with more text in captions than this is a series of pictures. */
const captionShareMax = 0.35

function captionShare(root: Element, stats: StatsOf, total: number): number {
  let prose = 0
  for (let node = nextNode(root, root); node; ) {
    const isCaption: boolean = isElement(node) && isCaptionElement(node)
    if (isCaption) prose += stats.get(node)?.prose ?? 0
    const isGallery = isElement(node) && readHints(node).isGallery
    node = nextNode(node, root, isCaption || isGallery)
  }
  return prose / total
}

const isCaptionElement = (element: Element): boolean =>
  element.localName === 'figcaption' || readHints(element).isCaption

const isTeaser = (own: TextStats, share: number): boolean => share < 0.3 && own.paragraphs < 6

/** With more text of its own, a page is an article with teasers of others. */
const seriesProseMax = 250

function teaserProse(root: Element, stats: StatsOf, total: number): number {
  let prose = 0
  for (let node = nextNode(root, root); node; ) {
    const own = stats.get(node)
    const isOne: boolean =
      isElement(node) &&
      node.localName === 'article' &&
      own !== undefined &&
      isTeaser(own, own.prose / total)
    if (isOne) prose += own?.prose ?? 0
    node = nextNode(node, root, isOne)
  }
  return prose
}

/** Above the title stand categories, dates and teasers, but also the pictures of a product. */
function removeBefore(
  root: Element,
  title: Element,
  stats: StatsOf,
  { isProduct }: ContentFacts,
): void {
  const before: Node[] = []
  let current: Node | null = title
  for (; current && current !== root; current = current.parentNode) {
    for (let node = current.previousSibling; node; node = node.previousSibling) before.push(node)
  }
  const prose = before.reduce((sum, node) => sum + (stats.get(node)?.prose ?? 0), 0)
  // With much text before it, the heading belongs to a section.
  if (prose > (stats.get(root)?.prose ?? 0) * 0.2) return
  for (const node of before) {
    if (!(isProduct && (stats.get(node)?.figures ?? 0) > 0)) node.remove()
  }
}

const factProperties = wordSet('datePublished dateModified dateCreated author')
const holderTags = wordSet('body article main section code pre sup')
const unsignedTags = wordSet('code pre a p blockquote')
const containerTags = wordSet(
  'div section ul ol table aside form header figure span dl center fieldset h2 h3 h4 h5 h6 p td tr',
)
const linkListTags = wordSet('ul ol table div section dl p')

function isPruned(element: Element, own: TextStats, article: Article): boolean {
  const name = element.localName
  const share = own.prose / article.total
  const hints = readHints(element)
  if (name === 'figcaption') return !article.hasCaptions
  if (name === 'article') return article.facts.isNews && !article.isSeries && isTeaser(own, share)
  if (name === 'form') return share < 0.3
  if (hints.isCaption && !article.hasCaptions && share < 0.25 && !holderTags.has(name)) return true
  if (hints.isGallery && article.facts.isNews && share < 0.5 && !holderTags.has(name)) return true
  const isAboutArticle =
    hints.isByline || factProperties.has(element.getAttribute('itemprop') ?? '')
  if (isAboutArticle && isSigned(element, own, article)) return true
  if (own.chars === 0 || !containerTags.has(name)) return false
  if (own.chars < 300 && saysUnrelated(element, own, article)) return true
  if (isInline(element)) return false
  if (isLinkList(element, own, article)) return true
  const isBeforeText = !article.isBegun && own.prose === 0 && !article.facts.isForum
  return isBeforeText && isByline(element, own)
}

/** In a forum the name of an author belongs to each post. */
const isSigned = (element: Element, own: TextStats, { facts, total }: Article): boolean =>
  !facts.isForum &&
  own.prose < total * 0.15 &&
  own.chars < 800 &&
  !unsignedTags.has(element.localName)

function saysUnrelated(element: Element, own: TextStats, { facts }: Article): boolean {
  const text = shortText(element, 400)
  if (isLabel(text)) return true
  // Wikis and manuals have sections such as "See also".
  if (facts.isTechnical) return false
  if (facts.isNews && own.linkChars > 0 && startsCall(text)) return true
  const isMostlyLinks = own.linkChars > own.chars * 0.4
  return (isMostlyLinks || /^h[2-6]$/.test(element.localName)) && startsRelated(text)
}

/** Nothing but links to other pages. */
function isLinkList(element: Element, own: TextStats, { facts }: Article): boolean {
  if (facts.isTechnical || !linkListTags.has(element.localName)) return false
  if (isIntroduced(element)) return false
  if (own.chars <= 20 || own.prose >= 100 || own.linkChars <= own.chars * 0.75) return false
  return element.localName !== 'p' || facts.isNews
}

/** A list inside a list, or after a sentence that ends in a colon, belongs to the text. */
function isIntroduced(element: Element): boolean {
  if (element.localName !== 'ul' && element.localName !== 'ol') return false
  if (element.parentElement?.localName === 'li') return true
  const before = element.previousElementSibling
  if (before?.localName !== 'p') return false
  const text = shortText(before, 400)
  return text.endsWith(':') && !startsRelated(text)
}

const bylineTags = wordSet('p div span time ul h4 h5 h6')
const dateOrAuthor =
  /\b(?:19|20)\d\d\b|\d:\d\d|^(?:by|von|par|por|di|door|af|av)\s|\bmin(?:ute)?s?\.? read|\d{1,2}\.\d{1,2}\.|年|월/i

/** A date, an author or a category before the first sentence. */
function isByline(element: Element, own: TextStats): boolean {
  const name = element.localName
  if (own.chars > 120 || own.figures > 0 || !bylineTags.has(name)) return false
  const text = shortText(element, 200)
  if (dateOrAuthor.test(text)) return true
  // Only names tell a category from a line of text.
  const isNamed = element.className !== '' || (element.parentElement?.className ?? '') !== ''
  if (!isNamed || name === 'p' || /^h/.test(name) || /[.!?:…。！？]$/.test(text)) return false
  return name !== 'ul' || own.linkChars > own.chars * 0.5
}

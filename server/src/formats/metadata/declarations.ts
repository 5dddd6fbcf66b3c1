import { collapseSpace } from '../dom/collapse-space.ts'
import { type Element, isElement, nodesIn } from '../dom/dom.ts'
import type { PageDocument } from '../dom/page-document.ts'

/** What the elements of a page declare about it, before anything is chosen. */
export interface Declarations {
  language: string | undefined
  title: string | undefined
  heading: string | undefined
  /** By `name`, `property`, `itemprop` or `http-equiv` in lower case; the values in page order. */
  metas: Map<string, string[]>
  links: LinkElement[]
  jsonLd: string[]
  /** Names of the author outside the head: `rel=author` and `itemprop=author`. */
  bylines: string[]
  /** The `datetime` of `<time>` elements that say what they are, or stand in the article. */
  publishedTimes: string[]
  modifiedTimes: string[]
  /** How many `<time>` elements were looked at: each look walks up to the root. */
  timesSeen: number
}

export interface LinkElement {
  rel: ReadonlySet<string>
  href: string
  type: string
  title: string
  sizes: string
}

/** Longer values are cut: no title or description needs more. */
const valueCharactersMax = 5_000
const valuesMax = 100
const propertiesMax = 500
const linksMax = 1_000
const jsonLdMax = 50
const timesMax = 1_000

/** Reads all declarations in one pass over the document. */
export function readDeclarations({ document }: PageDocument): Declarations {
  const found: Declarations = {
    language: cut(document.documentElement?.getAttribute('lang') ?? ''),
    title: undefined,
    heading: undefined,
    metas: new Map(),
    links: [],
    jsonLd: [],
    bylines: [],
    publishedTimes: [],
    modifiedTimes: [],
    timesSeen: 0,
  }
  for (const node of nodesIn(document)) {
    if (!isElement(node)) continue
    readers.get(node.localName)?.(node, found)
    if (node.localName !== 'meta' && node.hasAttribute('itemprop')) readItem(node, found)
  }
  return found
}

type Reader = (element: Element, found: Declarations) => void

const readers = new Map<string, Reader>([
  ['title', readTitle],
  ['h1', readHeading],
  ['meta', readMeta],
  ['link', readLink],
  ['script', readScript],
  ['time', readTime],
  ['a', readByline],
])

function readTitle(element: Element, found: Declarations): void {
  // An SVG image has titles of its own.
  if (element.namespaceURI.endsWith('svg')) return
  found.title ??= textOf(element)
}

function readHeading(element: Element, found: Declarations): void {
  found.heading ??= textOf(element)
}

function readMeta(element: Element, { metas }: Declarations): void {
  const value = cut(element.getAttribute('content') ?? '')
  if (value === undefined) return
  for (const attribute of ['name', 'property', 'itemprop', 'http-equiv']) {
    const name = element.getAttribute(attribute)?.trim().toLowerCase()
    if (!name || name.length > 200) continue
    const values = metas.get(name)
    if (values) addTo(values, value)
    else if (metas.size < propertiesMax) metas.set(name, [value])
  }
}

function readLink(element: Element, { links }: Declarations): void {
  const href = element.getAttribute('href')?.trim()
  const rel = element.getAttribute('rel')?.toLowerCase()
  if (!href || !rel || rel.length > 200 || links.length >= linksMax) return
  links.push({
    href,
    rel: new Set(rel.split(/\s+/)),
    type: (element.getAttribute('type') ?? '').trim().toLowerCase().slice(0, 200),
    title: cut(element.getAttribute('title') ?? '') ?? '',
    sizes: (element.getAttribute('sizes') ?? '').slice(0, 200),
  })
}

function readScript(element: Element, { jsonLd }: Declarations): void {
  if (jsonLd.length >= jsonLdMax) return
  if (!/^\s*application\/ld\+json\b/i.test(element.getAttribute('type') ?? '')) return
  jsonLd.push(element.textContent ?? '')
}

function readByline(element: Element, { bylines }: Declarations): void {
  if (/(^|\s)author(\s|$)/i.test(element.getAttribute('rel') ?? '')) {
    addTo(bylines, textOf(element))
  }
}

/** A time without a mark is the article's own only where it stands in the article. */
function readTime(element: Element, found: Declarations): void {
  const { publishedTimes, modifiedTimes } = found
  if (element.hasAttribute('itemprop') || ++found.timesSeen > timesMax) return
  const time = cut(element.getAttribute('datetime') ?? '')
  if (time === undefined) return
  const marks = element.getAttribute('class') ?? ''
  if (/\b(updated|modified|dt-updated)\b/i.test(marks)) addTo(modifiedTimes, time)
  else if (element.hasAttribute('pubdate') || /\b(published|dt-published)\b/i.test(marks)) {
    publishedTimes.unshift(time)
  } else if (isInArticle(element)) addTo(publishedTimes, time)
}

/** Microdata outside the head. */
function readItem(element: Element, found: Declarations): void {
  if (found.bylines.length >= valuesMax) return
  const value = cut(element.getAttribute('content') ?? element.getAttribute('datetime') ?? '')
  for (const name of (element.getAttribute('itemprop') ?? '').toLowerCase().split(/\s+/, 10)) {
    if (name === 'author') addTo(found.bylines, value ?? nameIn(element) ?? textOf(element))
    else if (name === 'datepublished') addTo(found.publishedTimes, value)
    else if (name === 'datemodified') addTo(found.modifiedTimes, value)
  }
}

function nameIn(element: Element): string | undefined {
  for (const node of nodesIn(element)) {
    if (isElement(node) && node.getAttribute('itemprop') === 'name') {
      return cut(node.getAttribute('content') ?? '') ?? textOf(node)
    }
  }
  return undefined
}

function isInArticle(element: Element): boolean {
  let inHeader = false
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at.localName === 'article') return true
    // The times of comments, asides and lists of other articles say nothing about this one.
    if (/^(aside|footer|nav|li|td)$/.test(at.localName)) return false
    if (at.localName === 'header') inHeader = true
    if (at.localName === 'main') return inHeader
  }
  return false
}

function addTo(values: string[], value: string | undefined): void {
  if (value !== undefined && values.length < valuesMax) values.push(value)
}

/** The element's text as one line; undefined where it has none. */
function textOf(element: Element): string | undefined {
  let text = ''
  for (const node of nodesIn(element)) {
    if (node.nodeType === 3) text += (node.nodeValue ?? '').slice(0, valueCharactersMax)
    if (text.length >= valueCharactersMax) break
  }
  return cut(text)
}

function cut(text: string): string | undefined {
  const line = collapseSpace(text.slice(0, 2 * valueCharactersMax)).slice(0, valueCharactersMax)
  return line === '' ? undefined : line.toWellFormed()
}

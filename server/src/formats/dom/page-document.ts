import { parseUrl } from '../../domain/parse-url.ts'
import { type Document, type Element, findElement, type Node } from './dom.ts'
import { depthMax, tooComplex } from './markup-limits.ts'
import { parseHtml } from './parse-html.ts'

/** A parsed page. All formats share it, so none may change it. */
export interface PageDocument {
  document: Document
  /** Where the page came from, after redirects. */
  url: string
  /** What relative links refer to: `url`, or what the page's `<base href>` makes of it. */
  baseUrl: string
}

/** Parses a page by the rules of HTML, so that any text gives a document. */
export function parsePage(html: string, url: string): PageDocument {
  const document = parseHtml(html)
  assertWithinDepth(document)
  return { document, url, baseUrl: findBaseUrl(document, url) }
}

/** The parser moves elements that the page did not close in order, which makes it deeper than its tags are. */
function assertWithinDepth(document: Document): void {
  let depth = 0
  let node: Node | null = document
  while (node) {
    if (node.firstChild) {
      if (++depth > depthMax) throw tooComplex('is nested too deeply')
      node = node.firstChild
      continue
    }
    while (node && !node.nextSibling) {
      node = node.parentNode
      depth--
    }
    node = node?.nextSibling ?? null
  }
}

const baseCharactersMax = 8_192

function findBaseUrl(document: Document, url: string): string {
  const isBase = (element: Element) => element.localName === 'base' && element.hasAttribute('href')
  const href = findElement(document, isBase)?.getAttribute('href')
  // Each relative link repeats it.
  if (!href || href.length > baseCharactersMax) return url
  const base = parseUrl(href.trim(), url)
  // A base such as `javascript:` or `data:` cannot resolve a relative link.
  return base?.protocol === 'http:' || base?.protocol === 'https:' ? base.href : url
}

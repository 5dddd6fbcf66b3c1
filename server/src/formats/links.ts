import { absoluteUrl } from './absolute-url.ts'
import { isElement, type Node } from './dom.ts'
import { nodesIn } from './nodes-in.ts'
import type { PageDocument } from './page-document.ts'

/** More links are cut off: a result with a million of them would fill the store. */
export const linksMax = 50_000
const charactersMax = 4 * 2 ** 20

/**
 * The http and https links of a page, absolute, each URL once, in the order of the page, `nofollow`
 * ones too. A fragment names a place inside a page, so it is dropped, and a link to a place of the
 * page itself is left out. Only the fragments that applications use as routes (`#/…`, `#!…`) stay.
 */
export function listLinks({ document, baseUrl }: PageDocument): string[] {
  const links = new Set<string>()
  // Many links of a page are repeated, and parsing a URL is most of the work.
  const seen = new Set<string>()
  let characters = 0
  for (const node of nodesIn(document)) {
    const reference = referenceOf(node)
    if (reference === undefined || seen.has(reference)) continue
    seen.add(reference)
    const link = toLink(reference, baseUrl)
    if (link === undefined || links.has(link)) continue
    characters += link.length
    if (characters > charactersMax || links.size === linksMax) break
    links.add(link)
  }
  return [...links]
}

function referenceOf(node: Node): string | undefined {
  if (!isElement(node) || (node.localName !== 'a' && node.localName !== 'area')) return undefined
  return node.getAttribute('href')?.trim()
}

function toLink(reference: string, baseUrl: string): string | undefined {
  const url = absoluteUrl(reference, baseUrl)
  if (!url) return undefined
  if (/^#[/!]/.test(url.hash)) return url.href
  if (reference.startsWith('#')) return undefined
  url.hash = ''
  return url.href
}

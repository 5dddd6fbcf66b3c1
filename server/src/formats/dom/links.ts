import {
  isRobotsMeta,
  metaForbidsFollowing,
  robotsTagsForbidFollowing,
} from '../../domain/crawl/robots-directives.ts'
import { absoluteUrl } from './absolute-url.ts'
import { type Element, isElement, nodesIn } from './dom.ts'
import type { PageDocument } from './page-document.ts'

/** More links are cut off: a result with a million of them would fill the store. */
export const linksMax = 50_000
const charactersMax = 4 * 2 ** 20

/**
 * The http and https links of a page, absolute, each URL once, in the order of the page, `nofollow`
 * ones too. A fragment names a place inside a page, so it is dropped, and a link to a place of the
 * page itself is left out. Only the fragments that applications use as routes (`#/…`, `#!…`) stay.
 */
export const listLinks = (page: PageDocument): string[] => readLinks(page).links

export interface PageLinks {
  links: string[]
  /**
   * Those that a crawl may follow: at least one of the elements with the URL is without `rel=nofollow`,
   * and neither the page nor its response (`X-Robots-Tag`) forbids to follow any.
   */
  followable: string[]
}

/** Reads both in one walk over the page. `robotsTags` are the values of `X-Robots-Tag`. */
export function readLinks(page: PageDocument, robotsTags: readonly string[] = []): PageLinks {
  const found = new FoundLinks(page.baseUrl)
  let isNofollowPage = robotsTagsForbidFollowing(robotsTags)
  for (const node of nodesIn(page.document)) {
    if (!isElement(node)) continue
    if (node.localName === 'meta') isNofollowPage ||= isNofollowMeta(node)
    else if (node.localName === 'a' || node.localName === 'area') found.add(node)
    if (found.isFull) break
  }
  return { links: found.links, followable: isNofollowPage ? [] : found.followable }
}

const isNofollowMeta = (meta: Element): boolean =>
  isRobotsMeta(meta.getAttribute('name') ?? '') &&
  metaForbidsFollowing(meta.getAttribute('content') ?? '')

const isNofollowLink = (element: Element): boolean =>
  /(?:^|\s)nofollow(?:\s|$)/i.test(element.getAttribute('rel') ?? '')

class FoundLinks {
  /** Whether a crawl may follow the link, by its URL. */
  readonly #links = new Map<string, boolean>()
  /** Many links of a page are repeated, and parsing a URL is most of the work. */
  readonly #linkOf = new Map<string, string | undefined>()
  readonly #baseUrl: string
  #characters = 0
  isFull = false

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  get links(): string[] {
    return [...this.#links.keys()]
  }

  get followable(): string[] {
    return this.links.filter((link) => this.#links.get(link))
  }

  add(element: Element): void {
    const reference = element.getAttribute('href')?.trim()
    if (reference === undefined) return
    const link = this.#resolve(reference)
    if (link === undefined) return
    const known = this.#links.get(link)
    if (known === undefined) {
      this.#characters += link.length
      this.isFull = this.#characters > charactersMax || this.#links.size === linksMax
      if (this.isFull) return
    }
    if (!known) this.#links.set(link, !isNofollowLink(element))
  }

  #resolve(reference: string): string | undefined {
    const known = this.#linkOf.get(reference)
    if (known !== undefined || this.#linkOf.has(reference)) return known
    const link = toLink(reference, this.#baseUrl)
    this.#linkOf.set(reference, link)
    return link
  }
}

function toLink(reference: string, baseUrl: string): string | undefined {
  const url = absoluteUrl(reference, baseUrl)
  if (!url) return undefined
  if (/^#[/!]/.test(url.hash)) return url.href
  if (reference.startsWith('#')) return undefined
  url.hash = ''
  return url.href
}

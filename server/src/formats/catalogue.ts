import type { FormatName } from '../domain/scrape/extract-options.ts'
import type { ExtractRules } from '../domain/scrape/extract-rules.ts'
import type { Element } from './dom/dom.ts'
import { listLinks } from './dom/links.ts'
import { type PageDocument, parsePage } from './dom/page-document.ts'
import { type MainContent, selectMainContent } from './main-content/select-main-content.ts'
import { toMarkdown } from './markdown/to-markdown.ts'
import { toText } from './markdown/to-text.ts'
import { readMetadata } from './metadata/read-metadata.ts'
import { applyRules } from './rules/apply-rules.ts'

/** What an extraction wants of a page. */
export interface DataOrder {
  /** After every redirect; relative links refer to it. */
  url: string
  formats: readonly FormatName[]
  hasLinks: boolean
  isMainContentOnly: boolean
  rules: ExtractRules | undefined
  /** Set for a page of a crawl, whose links are read too: the values of `X-Robots-Tag`. */
  robotsTags?: readonly string[] | undefined
}

/** The fields of `data` that are made from the parsed page. */
export type PageField = Exclude<FormatName, 'html' | 'screenshot'> | 'extracted'

/** Makes each field. All share one parsed page, which is parsed when the first one needs it. */
export const catalogue: Record<PageField, (page: LazyPage) => unknown> = {
  // A document has its heading; the title of a text is in the metadata.
  markdown: (page) => toMarkdown(page.content.root, page.parsed.baseUrl, page.parsed.document),
  text: (page) =>
    toText(page.content.root, page.parsed.baseUrl, page.content.title, page.parsed.document),
  links: (page) => listLinks(page.parsed),
  metadata: (page) => readMetadata(page.parsed),
  extracted: (page) => applyRules(page.parsed, page.order.rules ?? {}),
}

/** The fields that an extraction wants, in the order of the catalogue. */
export const fieldsOf = ({ formats, hasLinks, rules }: DataOrder): PageField[] =>
  pageFields.filter((field) => {
    if (field === 'extracted') return rules !== undefined
    return formats.includes(field) || (field === 'links' && hasLinks)
  })

const pageFields = Object.keys(catalogue) as PageField[]

/** A page that is parsed, and its main content selected, at most once and only if a format needs it. */
export class LazyPage {
  readonly order: DataOrder
  readonly #html: string
  #parsed: PageDocument | undefined
  #content: MainContent | undefined

  constructor(html: string, order: DataOrder) {
    this.#html = html
    this.order = order
  }

  get parsed(): PageDocument {
    this.#parsed ??= parsePage(this.#html, this.order.url)
    return this.#parsed
  }

  /** What `markdown` and `text` are made of. */
  get content(): MainContent {
    this.#content ??= this.order.isMainContentOnly
      ? selectMainContent(this.parsed)
      : { root: bodyOf(this.parsed), title: undefined }
    return this.#content
  }
}

/** The parser gives every document both, whatever the page contains. */
const bodyOf = ({ document }: PageDocument): Element =>
  (document.body ?? document.documentElement) as Element

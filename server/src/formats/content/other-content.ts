import { Failure } from '../../domain/failure.ts'
import type { PageMetadata } from '../../wire/extract/page-metadata.ts'
import { codeFence } from '../code-fence.ts'
import { collapseSpace } from '../dom/collapse-space.ts'
import type { Document } from '../dom/dom.ts'
import { parsePage } from '../dom/page-document.ts'
import { parseTime } from '../metadata/parse-time.ts'
import type { ContentKind } from './content-kind.ts'
import { type Feed, type FeedEntry, readFeed } from './read-feed.ts'

/** What the formats give for a response that is no page. */
export interface OtherContent {
  html: string | null
  text: string | null
  markdown: string | null
  links: string[]
  metadata: PageMetadata
}

type TextKind = Extract<ContentKind, 'json' | 'text' | 'xml'>

/**
 * JSON and other XML than feeds are code: text as they are, in markdown a fenced block. Plain text is
 * returned as it is in both. A feed is a list of its entries.
 */
export function presentOther(kind: TextKind, text: string, url: string): OtherContent {
  return presenters[kind](text, url)
}

const presenters: Record<TextKind, (text: string, url: string) => OtherContent> = {
  json: (text) => ({ ...nothing(), text, markdown: fenced(text, 'json') }),
  text: (text) => ({ ...nothing(), text, markdown: text }),
  xml(text, url) {
    const feed = readFeed(text, url)
    // XML is markup, and a feed's own text is a digest, so `html` has the source.
    return feed
      ? { html: text, ...presentFeed(feed) }
      : { ...nothing(), html: text, text, markdown: fenced(text, 'xml') }
  },
}

const nothing = () => ({ html: null, links: [], metadata: emptyMetadata })

/** Metadata of content that declares none. */
export const emptyMetadata: PageMetadata = {
  title: null,
  description: null,
  canonical: null,
  language: null,
  author: null,
  published_time: null,
  modified_time: null,
  site_name: null,
  image: null,
  favicon: null,
  keywords: [],
  robots: null,
  feeds: [],
  open_graph: {},
  twitter: {},
  json_ld: [],
}

/** What the formats give for a file: it has no text. */
export const noContent: OtherContent = { ...nothing(), text: null, markdown: null }

function fenced(code: string, language: string): string {
  const fence = codeFence(code)
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}\n`
}

function presentFeed(feed: Feed): Omit<OtherContent, 'html'> {
  const entries = feed.entries.map(toPlainEntry)
  const head = [feed.title, feed.description].filter((line) => line !== null)
  return {
    text: `${[...head, ...entries.map(entryText)].join('\n\n')}\n`,
    markdown: `${[...feedHead(feed), entries.map(entryMarkdown).join('\n')].join('\n\n')}\n`,
    links: [...new Set(entries.map(({ url }) => url).filter((url) => url !== null))],
    metadata: {
      ...emptyMetadata,
      title: feed.title,
      description: feed.description,
      canonical: feed.url,
      language: feed.language,
    },
  }
}

const summaryCharactersMax = 1_000

function toPlainEntry(entry: FeedEntry): FeedEntry {
  const time = entry.time === null ? null : (parseTime(entry.time) ?? entry.time)
  return { ...entry, time, summary: entry.summary === null ? null : plainText(entry.summary) }
}

/** Summaries are HTML, which most feeds escape. Blocks must not run together. */
function plainText(html: string): string | null {
  const document = parseSummary(html.replaceAll('<', ' <'))
  if (!document) return null
  const text = collapseSpace(document.body?.textContent ?? '')
  return text.length > summaryCharactersMax ? `${text.slice(0, summaryCharactersMax)}…` : text
}

/** A summary that is too complex to be parsed is left out, rather than the feed with it. */
function parseSummary(html: string): Document | undefined {
  try {
    return parsePage(html, 'http://feed.invalid/').document
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const entryText = ({ title, url, time, summary }: FeedEntry): string =>
  [title, time, url, summary].filter((line) => line).join('\n')

function feedHead({ title, url, description }: Feed): string[] {
  const heading = title === null ? [] : [`# ${linked(title, url)}`]
  return description === null ? heading : [...heading, escaped(description)]
}

function entryMarkdown({ title, url, time, summary }: FeedEntry): string {
  const name = linked(title ?? url ?? 'Untitled', url)
  const dated = time === null ? name : `${name} (${escaped(time)})`
  return summary ? `- ${dated}\n\n  ${escaped(summary)}\n` : `- ${dated}`
}

const linked = (text: string, url: string | null): string =>
  url === null ? escaped(text) : `[${escaped(text)}](<${url.replace(/[<>]/g, encodeURIComponent)}>)`

/** Keeps text from being read as markup. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|~&]/g, '\\$&')

import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { absoluteUrl } from '../dom/absolute-url.ts'
import { collapseSpace } from '../dom/collapse-space.ts'

export interface Feed {
  title: string | null
  description: string | null
  url: string | null
  language: string | null
  entries: FeedEntry[]
}

export interface FeedEntry {
  title: string | null
  url: string | null
  /** As the feed writes it. */
  time: string | null
  /** HTML or text, as the feed has it. */
  summary: string | null
}

const entriesMax = 1_000
const fieldCharactersMax = 100_000
const totalCharactersMax = 4 * 2 ** 20
const depthMax = 200

/**
 * Reads RSS 0.9 to 2.0 and Atom; undefined for other XML. The parser knows no document types: entities
 * that one declares stay as they are written, so that entity bombs and external entities are harmless.
 * Faults of the XML are passed over, as feed readers do.
 */
export function readFeed(xml: string, url: string): Feed | undefined {
  const reader = new FeedReader(url)
  const parser = new SaxesParser()
  parser.on('error', () => {})
  parser.on('opentag', (tag) => reader.open(tag))
  parser.on('closetag', (tag) => reader.close(tag.name))
  parser.on('text', (text) => reader.text(text))
  parser.on('cdata', (text) => reader.text(text))
  // In pieces, so that reading ends soon after the limit.
  for (let from = 0; from < xml.length && !reader.isDone; from += pieceCharacters) {
    parser.write(xml.slice(from, from + pieceCharacters))
  }
  return reader.feed
}

const pieceCharacters = 64 * 1024
const roots = new Set(['rss', 'feed', 'rdf:rdf'])

/** The element names of the formats, without the prefixes that most feeds use. */
const fieldNames = new Map<string, FieldName>([
  ['title', 'title'],
  ['link', 'url'],
  ['guid', 'guid'],
  ['pubdate', 'time'],
  ['published', 'time'],
  ['dc:date', 'time'],
  ['updated', 'time'],
  ['description', 'summary'],
  ['subtitle', 'summary'],
  ['summary', 'summary'],
  ['content', 'summary'],
  ['content:encoded', 'summary'],
  ['language', 'language'],
])

type FieldName = keyof FeedEntry | 'guid' | 'language'
type Fields = Partial<Record<FieldName, string>>

class FeedReader {
  #feed: Fields | undefined
  readonly #entries: FeedEntry[] = []
  #entry: Fields | undefined
  readonly #path: string[] = []
  /** The field that is being read, where it lies in the tree, and its text. */
  #field: { name: FieldName; depth: number; text: string } | undefined
  #charactersLeft = totalCharactersMax
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  get isDone(): boolean {
    if (this.#path.length > depthMax || this.#charactersLeft <= 0) return true
    return this.#entries.length >= entriesMax
  }

  get feed(): Feed | undefined {
    if (!this.#feed) return undefined
    const { title, url, summary, language } = this.#feed
    return {
      title: lineOf(title),
      description: lineOf(summary),
      url: this.#link(url),
      language: lineOf(language),
      entries: this.#entries,
    }
  }

  open({ name, attributes }: SaxesTagPlain): void {
    if (this.isDone) return
    const tag = name.toLowerCase()
    if (this.#path.length === 0 && roots.has(tag)) this.#feed = {}
    this.#path.push(tag)
    if (!this.#feed || this.#field) return
    if ((tag === 'item' || tag === 'entry') && !this.#entry) this.#entry = {}
    else this.#openField(tag, attributes)
  }

  #openField(tag: string, attributes: SaxesTagPlain['attributes']): void {
    const name = fieldNames.get(tag)
    const parent = this.#path.at(-2) ?? ''
    if (name === undefined || !/^(?:item|entry|channel|feed)$/.test(parent)) return
    if (tag === 'link' && attributes['href'] !== undefined) {
      // Atom: the link to the page itself is `alternate`, which is also the default.
      if (/^alternate$/i.test(attributes['rel'] ?? 'alternate'))
        this.#set('url', attributes['href'])
      return
    }
    if (tag === 'guid' && /^false$/i.test(attributes['isPermaLink'] ?? '')) return
    this.#field = { name, depth: this.#path.length, text: '' }
  }

  text(text: string): void {
    if (!this.#field || this.#field.text.length >= fieldCharactersMax) return
    const kept = text.slice(0, fieldCharactersMax)
    this.#field.text += kept
    this.#charactersLeft -= kept.length
  }

  close(name: string): void {
    if (this.isDone) return
    const tag = name.toLowerCase()
    if (this.#field && this.#field.depth >= this.#path.length) {
      this.#set(this.#field.name, this.#field.text)
      this.#field = undefined
    }
    this.#path.pop()
    if (this.#entry && (tag === 'item' || tag === 'entry')) {
      const { title, url, guid, time, summary } = this.#entry
      this.#entries.push({
        title: lineOf(title),
        url: this.#link(url ?? guid),
        time: lineOf(time),
        summary: summary?.trim() || null,
      })
      this.#entry = undefined
    }
  }

  /** The first value counts. */
  #set(name: FieldName, value: string): void {
    const fields = this.#entry ?? this.#feed
    if (fields && value.trim() !== '') fields[name] ??= value
  }

  #link(reference: string | undefined): string | null {
    return reference === undefined ? null : (absoluteUrl(reference, this.#url)?.href ?? null)
  }
}

const lineOf = (text: string | undefined): string | null =>
  text === undefined ? null : collapseSpace(text.slice(0, 5_000)) || null

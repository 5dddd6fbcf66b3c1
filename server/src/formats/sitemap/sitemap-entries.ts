import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { urlCharactersMax } from '../../domain/crawl/canonical-url.ts'

export interface SitemapEntry {
  kind: 'page' | 'sitemap'
  url: string
}

/** Reads the entries of one file piece by piece. */
export interface EntryReader {
  write(text: string): void
  end(): void
  /** The entries that were found since the last call. */
  take(): SitemapEntry[]
  /** A limit was reached, or the file is no sitemap: more text changes nothing. */
  readonly isDone: boolean
  readonly isFaulty: boolean
}

/** By the first characters of the file; undefined where there are none yet. */
export function readerFor(text: string): EntryReader | undefined {
  const start = text.trimStart()
  if (start === '') return undefined
  return start.startsWith('<') ? new XmlEntries() : new LineEntries()
}

/** The formats need less than five; extensions for images and videos a few more. */
const depthMax = 100
/** Each costs as much as a hundred characters. */
const faultsMax = 1_000
/** The parser keeps a text, a comment or a tag until its end, so this limits its memory. */
const openCharactersMax = 256 * 1024

/** Where the URLs are, by the names of the elements without their namespace prefixes. */
const kinds = new Map<string, SitemapEntry['kind']>([
  ['urlset/url/loc', 'page'],
  ['sitemapindex/sitemap/loc', 'sitemap'],
  ['rss/channel/item/link', 'page'],
  ['rdf/item/link', 'page'],
  ['feed/entry/link', 'page'],
])
const roots = new Set([...kinds.keys()].map((path) => path.split('/')[0]))
const leaves = new Set([...kinds.keys()].map((path) => path.split('/').at(-1)))

/**
 * The parser knows no document types: entities that one declares stay as they are written, so that entity
 * bombs and external entities are harmless. Faults are passed over and reported.
 */
class XmlEntries implements EntryReader {
  isDone = false
  readonly #parser = new SaxesParser<{ xmlns: false }>({ xmlns: false, position: false } as {
    xmlns: false
  })
  #entries: SitemapEntry[] = []
  readonly #names: { prefix: string; local: string }[] = []
  #open: { kind: SitemapEntry['kind']; depth: number; text: string } | undefined
  #faults = 0
  /** Characters that were written since the parser last reported anything. */
  #openCharacters = 0
  #hasRoot = false
  /** The end of the last piece that may be the beginning of an entity. */
  #held = ''

  constructor() {
    this.#parser.on('opentag', (tag) => this.#openTag(tag))
    this.#parser.on('closetag', () => this.#closeTag())
    this.#parser.on('text', (text) => this.#addText(text))
    this.#parser.on('cdata', (text) => this.#addText(text.replaceAll('&amp;', '&')))
    this.#parser.on('comment', () => this.#progress())
    this.#parser.on('processinginstruction', () => this.#progress())
    this.#parser.on('doctype', () => this.#progress())
    this.#parser.on('error', () => {
      this.#faults++
      if (this.#faults > faultsMax) this.isDone = true
    })
  }

  get isFaulty(): boolean {
    return this.#faults > 0 || !this.#hasRoot
  }

  write(text: string): void {
    this.#openCharacters += text.length
    const joined = this.#held + text
    const end = lastEntityStart(joined)
    this.#held = joined.slice(end)
    this.#parser.write(escapeLoneAmpersands(joined.slice(0, end)))
    if (this.#openCharacters > openCharactersMax) this.isDone = true
  }

  end(): void {
    this.#parser.write(escapeLoneAmpersands(this.#held)).close()
  }

  take(): SitemapEntry[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }

  #progress(): void {
    this.#openCharacters = 0
  }

  #openTag({ name, attributes }: SaxesTagPlain): void {
    this.#progress()
    if (this.isDone) return
    const parent = this.#names.at(-1)
    const element = splitName(name)
    this.#names.push(element)
    if (!parent) this.#hasRoot ||= roots.has(element.local)
    if (!this.#hasRoot || this.#names.length > depthMax) this.isDone = true
    // `<image:loc>` or `<atom:link>` is about something else than the page.
    if (this.#open || !leaves.has(element.local) || element.prefix !== parent?.prefix) return
    const kind = this.#findKind()
    if (!kind) return
    const href = attributes['href']
    if (href === undefined) this.#open = { kind, depth: this.#names.length, text: '' }
    // Atom: the link to the page itself is `alternate`, which is also the default.
    else if (/^alternate$/i.test(attributes['rel'] ?? 'alternate')) this.#add(kind, href)
  }

  #findKind(): SitemapEntry['kind'] | undefined {
    if (this.#names.length > 4) return undefined
    return kinds.get(this.#names.map(({ local }) => local).join('/'))
  }

  #addText(text: string): void {
    this.#progress()
    if (!this.#open || this.#open.text.length > urlCharactersMax) return
    // White space around a URL does not count, but after the limit nobody knows whether it was around.
    const kept = this.#open.text === '' ? text.trimStart() : text
    this.#open.text += kept.slice(0, urlCharactersMax + 1)
  }

  #closeTag(): void {
    this.#progress()
    if (this.isDone) return
    if (this.#open?.depth === this.#names.length) {
      this.#add(this.#open.kind, this.#open.text)
      this.#open = undefined
    }
    this.#names.pop()
  }

  #add(kind: SitemapEntry['kind'], text: string): void {
    const url = text.trim()
    if (url !== '' && url.length <= urlCharactersMax) this.#entries.push({ kind, url })
  }
}

/**
 * URLs with an unescaped `&` are a common fault, and the parser would take all up to the next `;` for an
 * entity. CDATA gets escaped too, and unescaped by its handler.
 */
const escapeLoneAmpersands = (text: string): string => text.replace(/&(?!#?\w{1,32};)/g, '&amp;')

/** Where an entity begins that the text does not end, else the length of the text. */
function lastEntityStart(text: string): number {
  const at = text.lastIndexOf('&')
  const isOpen = at >= 0 && text.length - at <= 34 && !text.includes(';', at)
  return isOpen ? at : text.length
}

function splitName(name: string): { prefix: string; local: string } {
  const colon = name.indexOf(':')
  return { prefix: name.slice(0, Math.max(colon, 0)), local: name.slice(colon + 1).toLowerCase() }
}

/** One URL per line; whatever is no absolute http or https URL is passed over. */
class LineEntries implements EntryReader {
  readonly isDone = false
  readonly isFaulty = false
  #entries: SitemapEntry[] = []
  /** The line that has not ended yet, as far as it can be a URL. */
  #line = ''

  write(text: string): void {
    const [rest = '', ...lines] = text.split(/[\r\n]/)
    this.#extend(rest)
    for (const line of lines) {
      this.#endLine()
      this.#extend(line)
    }
  }

  end(): void {
    this.#endLine()
  }

  take(): SitemapEntry[] {
    const entries = this.#entries
    this.#entries = []
    return entries
  }

  #extend(text: string): void {
    if (this.#line.length <= urlCharactersMax) this.#line += text
  }

  #endLine(): void {
    const url = this.#line.trim()
    this.#line = ''
    if (url.length > urlCharactersMax || !/^https?:\/\/\S+$/i.test(url)) return
    this.#entries.push({ kind: 'page', url })
  }
}

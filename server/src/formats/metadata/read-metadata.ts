import type { PageMetadata } from '../../wire/extract/page-metadata.ts'
import { absoluteUrl } from '../dom/absolute-url.ts'
import { collapseSpace } from '../dom/collapse-space.ts'
import type { PageDocument } from '../dom/page-document.ts'
import { type Declarations, type LinkElement, readDeclarations } from './declarations.ts'
import { isObject, type JsonObject, mainEntity, parseJsonLd } from './json-ld.ts'
import { parseTime } from './parse-time.ts'

const feedsMax = 50
const keywordsMax = 100
const authorsMax = 20

/** What a page says about itself, in one shape; each field by its most trustworthy source. */
export function readMetadata(page: PageDocument): PageMetadata {
  const found = readDeclarations(page)
  const jsonLd = parseJsonLd(found.jsonLd)
  const sources: Sources = { found, entity: mainEntity(jsonLd) ?? {}, baseUrl: page.baseUrl }
  return {
    title: chooseTitle(sources),
    description: firstText(
      meta(sources, 'description', 'og:description', 'twitter:description', 'dc.description'),
      textsIn(sources.entity['description']),
    ),
    canonical: firstUrl(sources, linked(sources, 'canonical'), meta(sources, 'og:url')),
    language: chooseLanguage(sources),
    author: chooseAuthor(sources),
    published_time: firstTime(
      textsIn(sources.entity['datePublished']),
      meta(sources, ...publishedNames),
      found.publishedTimes,
    ),
    modified_time: firstTime(
      textsIn(sources.entity['dateModified']),
      meta(sources, ...modifiedNames),
      found.modifiedTimes,
    ),
    site_name: firstText(
      meta(sources, 'og:site_name', 'application-name', 'apple-mobile-web-app-title'),
      namesIn(sources.entity['publisher']),
    ),
    image: firstUrl(
      sources,
      meta(sources, 'og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image'),
      meta(sources, 'twitter:image:src', 'image', 'thumbnail'),
      urlsIn(sources.entity['image']),
      linked(sources, 'image_src'),
    ),
    favicon: chooseFavicon(sources),
    keywords: chooseKeywords(sources),
    robots: firstText(meta(sources, 'robots')),
    feeds: listFeeds(sources),
    open_graph: openGraph(found.metas),
    twitter: twitter(found.metas),
    json_ld: jsonLd,
  }
}

interface Sources {
  found: Declarations
  /** The JSON-LD object about the page; empty where there is none. */
  entity: JsonObject
  baseUrl: string
}

const publishedNames = [
  'article:published_time',
  'og:article:published_time',
  'datepublished',
  'citation_publication_date',
  'citation_online_date',
  'dc.date.issued',
  'dcterms.issued',
  'dcterms.created',
  'dcterms.date',
  'dc.date',
  'dc.date.created',
  'parsely-pub-date',
  'sailthru.date',
  'pubdate',
  'publishdate',
  'publish-date',
  'publish_date',
  'date',
]

const modifiedNames = [
  'article:modified_time',
  'og:updated_time',
  'og:article:modified_time',
  'datemodified',
  'dcterms.modified',
  'dc.date.modified',
  'last-modified',
  'lastmod',
]

const authorNames = [
  'article:author',
  'author',
  'dc.creator',
  'dcterms.creator',
  'citation_author',
  'parsely-author',
  'sailthru.author',
  'og:article:author',
  'twitter:creator',
]

/** The values of the first name that has any. */
function meta({ found }: Sources, ...names: string[]): string[] {
  for (const name of names) {
    const values = found.metas.get(name)
    if (values) return values
  }
  return []
}

const linked = ({ found }: Sources, rel: string): string[] =>
  found.links.filter((link) => link.rel.has(rel)).map((link) => link.href)

function firstText(...lists: string[][]): string | null {
  for (const list of lists) for (const text of list) if (text !== '') return text
  return null
}

function firstUrl({ baseUrl }: Sources, ...lists: string[][]): string | null {
  for (const list of lists) {
    for (const reference of list) {
      const url = absoluteUrl(reference, baseUrl)
      if (url) return url.href
    }
  }
  return null
}

function firstTime(...lists: string[][]): string | null {
  for (const list of lists) {
    for (const text of list) {
      const time = parseTime(text)
      if (time !== undefined) return time
    }
  }
  return null
}

function chooseTitle(sources: Sources): string | null {
  const { title, heading } = sources.found
  return firstText(
    title === undefined ? [] : [title],
    meta(sources, 'og:title', 'twitter:title', 'dc.title'),
    textsIn(sources.entity['headline']),
    textsIn(sources.entity['name']),
    heading === undefined ? [] : [heading],
  )
}

/** Only what looks like a tag of BCP 47: some pages write the language's name or several tags. */
function chooseLanguage(sources: Sources): string | null {
  const { language } = sources.found
  const given = [
    ...(language === undefined ? [] : [language]),
    ...meta(sources, 'content-language', 'language', 'dc.language', 'dcterms.language'),
    ...textsIn(sources.entity['inLanguage']),
    ...meta(sources, 'og:locale'),
  ]
  for (const text of given) {
    const tag = text.split(',', 1)[0]?.trim().replaceAll('_', '-') ?? ''
    if (/^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(tag)) return tag
  }
  return null
}

function chooseAuthor(sources: Sources): string | null {
  const given = [
    namesIn(sources.entity['author']),
    namesIn(sources.entity['creator']),
    ...authorNames.map((name) => meta(sources, name).filter((text) => !/^https?:/i.test(text))),
    sources.found.bylines.slice(0, 1),
  ]
  const names = given.find((list) => list.length > 0) ?? []
  return names.length === 0 ? null : [...new Set(names)].slice(0, authorsMax).join(', ')
}

/** The largest icon would need its pixels; the first one declared is what most browsers show. */
const chooseFavicon = (sources: Sources): string | null =>
  firstUrl(sources, linked(sources, 'icon'), linked(sources, 'apple-touch-icon'))

function chooseKeywords(sources: Sources): string[] {
  const given = [
    meta(sources, 'keywords', 'news_keywords', 'parsely-tags'),
    textsIn(sources.entity['keywords']),
    meta(sources, 'article:tag'),
  ]
  const texts = given.find((list) => list.length > 0) ?? []
  const words = texts.flatMap((text) => text.split(/[,;、，]/)).map((word) => word.trim())
  return [...new Set(words.filter((word) => word !== ''))].slice(0, keywordsMax)
}

const feedTypes = /^(application\/(rss|atom|rdf|feed)\+(xml|json)|text\/xml|application\/xml)$/

function listFeeds({ found, baseUrl }: Sources): PageMetadata['feeds'] {
  const feeds = new Map<string, PageMetadata['feeds'][number]>()
  for (const link of found.links) {
    const url = isFeed(link) ? absoluteUrl(link.href, baseUrl)?.href : undefined
    if (url === undefined || feeds.has(url) || feeds.size === feedsMax) continue
    feeds.set(url, { url, title: link.title || null, type: link.type })
  }
  return [...feeds.values()]
}

const isFeed = ({ rel, type }: LinkElement): boolean =>
  rel.has('alternate') && !rel.has('stylesheet') && feedTypes.test(type)

/** The vocabularies that the OpenGraph protocol names; pages put them beside `og:`. */
const openGraphNames = /^(?:og:(.+)|((?:article|book|profile|product|music|video|fb):.+))$/

function openGraph(metas: Declarations['metas']): Record<string, string> {
  const entries = [...metas].map(([name, [value = '']]): [string, string] => {
    const [, inner, full] = openGraphNames.exec(name) ?? []
    return [inner ?? full ?? '', value]
  })
  return toProperties(entries)
}

const twitter = (metas: Declarations['metas']): Record<string, string> =>
  toProperties(
    [...metas].map(([name, [value = '']]) => [/^twitter:(.+)$/.exec(name)?.[1] ?? '', value]),
  )

/** `Object.fromEntries` defines own properties, so a page cannot reach `__proto__`. */
const toProperties = (entries: [string, string][]): Record<string, string> =>
  Object.fromEntries(entries.filter(([name]) => name !== ''))

/** Strings of a JSON-LD value, which may be one or a list of them. */
function textsIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, authorsMax) : [value]
  return list.flatMap((one) => {
    const text = isObject(one) ? (one['@value'] ?? one['name']) : one
    return typeof text === 'string' && text.trim() !== '' ? [clip(text)] : []
  })
}

/** Names of people and organisations, which are objects or plain strings; a URL is no name. */
const namesIn = (value: unknown): string[] =>
  textsIn(value).filter((name) => !/^https?:/i.test(name))

function urlsIn(value: unknown): string[] {
  const list = Array.isArray(value) ? value.slice(0, authorsMax) : [value]
  return list
    .map((one) => (isObject(one) ? (one['url'] ?? one['contentUrl'] ?? one['@id']) : one))
    .filter((url) => typeof url === 'string')
}

const clip = (text: string): string => collapseSpace(text.slice(0, 5_000)).toWellFormed()

import { wordSet } from '../word-set.ts'

const nothing = { textLength: 0, imageCount: 0, fieldCount: 0 }

export type RootContent = typeof nothing
type SurroundingContent = PageSigns['surroundings']

/** What the HTML of a page shows about the work that is left to its scripts. */
export type PageSigns = ReturnType<typeof noSigns>

const noSigns = () => ({
  /** The visible text in characters without spaces; counting stops at `textLengthMax`. */
  textLength: 0,
  /** The start of the visible text, and of what is shown only where scripts are off. */
  visibleText: '',
  noscriptText: '',
  imageCount: 0,
  fieldCount: 0,
  linkCount: 0,
  /** Scripts that run; data and templates in `script` elements are none. */
  scriptCount: 0,
  /** Scripts that are modules or have the file names that bundlers give. */
  bundleCount: 0,
  /** The start of the inline scripts. */
  inlineScripts: '',
  /** Elements into which applications render, with what they have already. */
  roots: [] as RootContent[],
  /** What is in headers, navigation, side bars and footers, which every page of a site has. */
  surroundings: { ...nothing, linkCount: 0 },
  /** Elements that have an id and nothing in them. */
  emptyCount: 0,
  /** `{{ }}` in the text, on a page that has the attributes of a template language. */
  templateCount: 0,
  /** Whether a `meta` element redirects to another page within seconds. */
  isRefreshing: false,
  hasFrames: false,
})

/** A page that has this much text is not scanned further. */
export const textLengthMax = 1_500
const tagsMax = 50_000
const keptMax = 64 * 1_024
const rootsMax = 20
const refreshSecondsMax = 10

/**
 * Scans HTML without building a tree: it runs for every page, and stops where the page has enough text.
 * Each character is read a bounded number of times, whatever the page contains.
 */
export function scanPage(html: string): PageSigns {
  const scan = new PageScan(html)
  scan.run()
  return scan.signs
}

interface OpenRoot {
  tag: string
  depth: number
  before: RootContent
}

type Attributes = Map<string, string>

class PageScan {
  readonly signs = noSigns()
  readonly #html: string
  readonly #openRoots: OpenRoot[] = []
  #isTemplated = false
  #isSelfClosing = false
  #svgDepth = 0
  /** The outermost header, navigation, side bar or footer that is open. */
  #surrounding: { tag: string; depth: number; before: SurroundingContent } | undefined
  /** The element that was opened last, if it has an id and nothing in it so far. */
  #emptyTag = ''
  /** Whether the next text begins a line of its own. */
  #isBroken = false
  #braceCount = 0
  #at = 0

  constructor(html: string) {
    this.#html = html
  }

  run(): void {
    for (let tags = 0; tags < tagsMax && !this.#isOver; tags += 1) this.#step()
    for (const root of this.#openRoots) this.#closeRoot(root)
    if (this.#surrounding) this.#closeSurrounding(this.#surrounding)
    this.signs.templateCount = this.#isTemplated ? this.#braceCount : 0
  }

  get #isOver(): boolean {
    return this.#at >= this.#html.length || this.signs.textLength >= textLengthMax
  }

  /** Reads the text up to the next tag, and the tag. */
  #step(): void {
    const html = this.#html
    const tagAt = html.indexOf('<', this.#at)
    const textEnd = tagAt === -1 ? html.length : tagAt
    if (textEnd > this.#at) this.#addText(html.slice(this.#at, textEnd))
    this.#at = textEnd
    if (tagAt === -1) return
    tagStart.lastIndex = tagAt
    const start = tagStart.exec(html)
    if (!start) {
      this.#at = tagAt + 1
      return
    }
    const [opening, comment, markup, slash, name = ''] = start
    this.#at = tagAt + opening.length
    if (comment !== undefined) this.#skipPast('-->')
    else if (markup !== undefined) this.#skipPast('>')
    else if (slash) this.#endTag(name.toLowerCase())
    else this.#startTag(name.toLowerCase(), this.#readAttributes())
  }

  #skipPast(text: string): void {
    const at = this.#html.indexOf(text, this.#at)
    this.#at = at === -1 ? this.#html.length : at + text.length
  }

  #readAttributes(): Attributes {
    const attributes: Attributes = new Map()
    const html = this.#html
    for (;;) {
      attribute.lastIndex = this.#at
      const [read = '', name, double, single, bare] = attribute.exec(html) ?? []
      this.#at += read.length
      if (name === undefined) break
      const value = double ?? single ?? bare ?? ''
      attributes.set(name.slice(0, nameMax).toLowerCase(), value.slice(0, valueMax))
    }
    this.#isSelfClosing = html[this.#at - 1] === '/'
    // Now at the end of the tag, or of the page.
    this.#skipPast('>')
    return attributes
  }

  #startTag(tag: string, attributes: Attributes): void {
    if (!inlineTags.has(tag)) this.#isBroken = true
    // Only in SVG does a slash end an element, such as `<title/>`.
    if (this.#isSelfClosing && (tag === 'svg' || this.#svgDepth > 0)) return
    if (tag === 'svg') this.#svgDepth += 1
    for (const root of this.#openRoots) if (root.tag === tag) root.depth += 1
    if (this.#surrounding?.tag === tag) this.#surrounding.depth += 1
    else if (isSurrounding(tag, attributes)) {
      this.#surrounding ??= { tag, depth: 1, before: { ...this.signs } }
    }
    if (rawTags.has(tag)) this.#addRaw(tag, attributes)
    else this.#addElement(tag, attributes)
  }

  #addRaw(tag: string, attributes: Attributes): void {
    const content = this.#readRawText(tag)
    if (tag === 'script') this.#addScript(attributes, content)
    if (tag === 'noscript') this.#addNoscript(content)
    if (tag === 'textarea') this.signs.fieldCount += 1
  }

  #addElement(tag: string, attributes: Attributes): void {
    const { signs } = this
    if (imageTags.has(tag)) signs.imageCount += 1
    if (fieldTags.has(tag) && attributes.get('type') !== 'hidden') signs.fieldCount += 1
    if (tag === 'a' && attributes.has('href')) signs.linkCount += 1
    if (tag === 'frameset') signs.hasFrames = true
    if (tag === 'meta' && isRefresh(attributes)) signs.isRefreshing = true
    if (templateAttributes.some((name) => attributes.has(name))) this.#isTemplated = true
    if (isRoot(tag, attributes) && this.#openRoots.length + signs.roots.length < rootsMax) {
      const { textLength, imageCount, fieldCount } = signs
      this.#openRoots.push({ tag, depth: 1, before: { textLength, imageCount, fieldCount } })
    }
    this.#emptyTag = attributes.has('id') ? tag : ''
  }

  #endTag(tag: string): void {
    this.#skipPast('>')
    if (!inlineTags.has(tag)) this.#isBroken = true
    if (tag === 'svg') this.#svgDepth = Math.max(0, this.#svgDepth - 1)
    if (this.#emptyTag === tag) this.signs.emptyCount += 1
    this.#emptyTag = ''
    if (this.#surrounding?.tag === tag) this.#surrounding.depth -= 1
    if (this.#surrounding?.depth === 0) this.#closeSurrounding(this.#surrounding)
    for (const root of this.#openRoots) if (root.tag === tag) root.depth -= 1
    const closed = this.#openRoots.findIndex(({ depth }) => depth === 0)
    if (closed !== -1) for (const root of this.#openRoots.splice(closed, 1)) this.#closeRoot(root)
  }

  #closeRoot({ before }: OpenRoot): void {
    const { textLength, imageCount, fieldCount, roots } = this.signs
    roots.push({
      textLength: textLength - before.textLength,
      imageCount: imageCount - before.imageCount,
      fieldCount: fieldCount - before.fieldCount,
    })
  }

  #closeSurrounding({ before }: { before: SurroundingContent }): void {
    const { surroundings, textLength, imageCount, fieldCount, linkCount } = this.signs
    surroundings.textLength += textLength - before.textLength
    surroundings.imageCount += imageCount - before.imageCount
    surroundings.fieldCount += fieldCount - before.fieldCount
    surroundings.linkCount += linkCount - before.linkCount
    this.#surrounding = undefined
  }

  /** The content of an element in which tags are text; without an end tag it is the rest. */
  #readRawText(tag: string): string {
    const start = this.#at
    const end = rawEnds[tag as keyof typeof rawEnds]
    end.lastIndex = start
    const found = end.exec(this.#html)
    const contentEnd = found ? found.index : this.#html.length
    this.#at = contentEnd
    if (found) {
      this.#at += found[0].length
      this.#endTag(tag)
    }
    return this.#html.slice(start, contentEnd)
  }

  #addText(text: string): void {
    const { signs } = this
    const length = visibleLength(text)
    if (length > 0) this.#emptyTag = ''
    signs.textLength += length
    signs.visibleText = append(signs.visibleText, this.#isBroken ? `\n${text}` : text)
    this.#isBroken = false
    this.#braceCount += text.includes('{{') && text.includes('}}') ? 1 : 0
  }

  #addScript(attributes: Attributes, content: string): void {
    const type = attributes.get('type')?.trim().toLowerCase() ?? ''
    const source = attributes.get('src') ?? ''
    if (!scriptTypes.test(type) || (source === '' && content.trim() === '')) return
    const { signs } = this
    signs.scriptCount += 1
    if (type === 'module' || bundleNames.test(source)) signs.bundleCount += 1
    signs.inlineScripts = append(signs.inlineScripts, content)
  }

  #addNoscript(content: string): void {
    // A page for those without scripts is a demand, too.
    const refresh = /http-equiv\s*=\s*["']?refresh/i.test(content) ? ' JavaScript' : ''
    this.signs.noscriptText = append(
      this.signs.noscriptText,
      content.replace(/<[^<>]*>/g, ' ') + refresh,
    )
  }
}

const append = (kept: string, more: string): string =>
  kept.length >= keptMax ? kept : `${kept}${more.slice(0, keptMax - kept.length)}`

const nameMax = 64
const valueMax = 1_024

const tagStart = /<(?:(!--)|([!?])|(\/?)([a-z][^\s/>]{0,63})[^\s/>]*)/iy
const attribute = /[\s/]*(?:([^\s/>=][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*)))?)?/y

/** Elements whose content is not markup or not shown. */
const rawEnds = {
  script: /<\/script(?=[\s/>])/gi,
  noscript: /<\/noscript(?=[\s/>])/gi,
  style: /<\/style(?=[\s/>])/gi,
  title: /<\/title(?=[\s/>])/gi,
  textarea: /<\/textarea(?=[\s/>])/gi,
  template: /<\/template(?=[\s/>])/gi,
  iframe: /<\/iframe(?=[\s/>])/gi,
  noframes: /<\/noframes(?=[\s/>])/gi,
  xmp: /<\/xmp(?=[\s/>])/gi,
}
const rawTags = new Set(Object.keys(rawEnds))
const inlineTags = wordSet('a abbr b code em font i small span strong u')
const imageTags = wordSet('img video audio canvas embed object')
const voidTags = wordSet('area base br col embed hr img input link meta source track wbr')
const fieldTags = wordSet('input select button')

const scriptTypes = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script(?:;.*)?|)$/
const bundleNames =
  /(?:^|[/._-])(?:main|app|bundle|index|runtime|vendors?|chunk|polyfills|entry|client|webpack|umi|blazor|flutter)(?:[._~-][^/?#]*)?\.m?js|\/_next\/|\/_nuxt\/|\/static\/js\/|nocache\.js/i

const rootIds =
  /^(?:__\w+|(?:[a-z0-9]+[-_])*(?:react)?(?:root|app|application|spa|mount)(?:[-_](?:root|app|container|mount|content|wrapper|shell|main|node))*)$/i
const rootTags =
  /^(?:main|app|router-outlet|router-view|ui-view|ng-view|[a-z0-9]+(?:-[a-z0-9]+)*-(?:app|root|shell)|app-[a-z0-9-]+)$/
const rootAttributes = [
  'data-reactroot',
  'data-react-class',
  'data-v-app',
  'data-server-rendered',
  'ng-view',
  'data-ng-view',
  'ui-view',
]
const templateAttributes = ['ng-app', 'data-ng-app', 'ng-cloak', 'v-cloak', 'v-if', 'v-for']

/** Roots of small applications beside the page's own content. */
const widgetIds = /consent|cookie|cmp|gdpr|chat|comment|widget|modal|toast|portal|notif|banner/i

const isRoot = (tag: string, attributes: Attributes): boolean =>
  !widgetIds.test((attributes.get('id') ?? '').slice(0, nameMax)) && looksLikeRoot(tag, attributes)

const looksLikeRoot = (tag: string, attributes: Attributes): boolean =>
  rootTags.test(tag) ||
  attributes.get('role') === 'main' ||
  rootIds.test((attributes.get('id') ?? '').slice(0, nameMax)) ||
  rootAttributes.some((name) => attributes.has(name))

const surroundingTags = wordSet('header nav footer aside')
const contentTags = wordSet('html body main article')
const surroundingRoles = wordSet('banner navigation contentinfo complementary')
/** A whole name such as `site-header`; `has-sidebar` is the name of what contains the content, too. */
const surroundingNames =
  /(?:^|\s)(?!has|with|no|is)[\w-]{0,30}(?:header|nav|navbar|navigation|menu|topbar|masthead|footer|sidebar|breadcrumbs?)(?:\s|$)/i

const isSurrounding = (tag: string, attributes: Attributes): boolean => {
  if (surroundingTags.has(tag)) return true
  if (contentTags.has(tag) || rawTags.has(tag) || voidTags.has(tag)) return false
  return (
    surroundingRoles.has(attributes.get('role') ?? '') ||
    surroundingNames.test(attributes.get('class') ?? '') ||
    surroundingNames.test((attributes.get('id') ?? '').slice(0, nameMax))
  )
}

/** A refresh without another URL only loads the page again. */
function isRefresh(attributes: Attributes): boolean {
  if (attributes.get('http-equiv')?.toLowerCase() !== 'refresh') return false
  const [, seconds = ''] =
    /^\s*(\d{1,5})[^;,]{0,10}[;,]\s*\S/.exec(attributes.get('content') ?? '') ?? []
  return seconds !== '' && Number(seconds) <= refreshSecondsMax
}

const firstIdeograph = 0x2e80
const charactersPerIdeograph = 3

/** Characters without spaces; an entity is one, and an ideograph says as much as several letters. */
function visibleLength(text: string): number {
  const plain = text.includes('&') ? text.replace(/&(?:nbsp|#160|#xa0);/gi, ' ') : text
  let length = 0
  for (let at = 0; at < plain.length && length < textLengthMax; at += 1) {
    const code = plain.charCodeAt(at)
    if (code >= firstIdeograph) length += charactersPerIdeograph
    else if (code > 0x20 && code !== 0xa0) length += 1
  }
  return length
}

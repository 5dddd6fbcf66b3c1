import { Failure } from '../../domain/failure.ts'

/** An element with its text takes about 1 KB, and a content thread has 256 MB. */
export const elementsMax = 150_000

/** The parser searches its open elements at each tag, so its time grows with the square of the depth. */
export const depthMax = 1_500

/**
 * How many open elements the parser may look at in all: a page of 150 000 elements at a depth of 300
 * takes less. Within `depthMax` it could be 450 million, which takes some ten seconds.
 */
const openLooksMax = 100_000_000

/** The parser compares each attribute with all others of its tag. */
const attributesMax = 500

/**
 * Refuses markup that would take too long to parse, in one pass over the text. It follows the open
 * elements as the parser would, and where it simplifies it counts more of them, not fewer.
 */
export function assertParsable(html: string): void {
  const open = new OpenElements()
  const tagStart = /<(?:(\/?)([a-zA-Z][^\s/>]*)|!--|[!?])/g
  let elements = 0
  let comments = 0
  let openLooks = 0
  for (let match = tagStart.exec(html); match; match = tagStart.exec(html)) {
    const name = match[2]?.toLowerCase()
    if (name === undefined) {
      if (++comments > elementsMax) throw tooComplex('has too many comments')
      tagStart.lastIndex = skipComment(html, match[0], tagStart.lastIndex)
      continue
    }
    const tag = scanTag(html, tagStart.lastIndex)
    tagStart.lastIndex = tag.end
    openLooks += open.depth
    if (openLooks > openLooksMax) throw tooComplex('is nested too deeply')
    if (match[1]) {
      open.close(name)
      continue
    }
    elements += 1 + open.repeatedMax
    if (elements > elementsMax * 4 || open.seen > elementsMax)
      throw tooComplex('has too many elements')
    if (tag.attributes > attributesMax) throw tooComplex('has a tag with too many attributes')
    if (rawText.has(name)) tagStart.lastIndex = skipRawText(html, name, tag.end)
    else open.start(name, tag.isSelfClosing)
    if (open.depth > depthMax) throw tooComplex('is nested too deeply')
  }
}

export const tooComplex = (what: string): Failure =>
  new Failure('CONTENT_TOO_COMPLEX', `The page ${what} to be read; ask for its html.`)

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const rawText = words('script style textarea title xmp iframe noembed noframes')
const voids = words(
  'area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr',
)
/** The parser opens these again in the next block when a block ends before they do. */
const formatting = words('a b big code em font i nobr s small strike strong tt u')
/** A start tag of these ends an open element of the same name. */
const alone = words('a nobr')
const scopes = words('applet caption html table td th marquee object template button svg math')
/** A start tag of these ends an open paragraph. */
const paragraphEnds = words(
  'address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li dd dt main menu nav ol p pre section summary table ul',
)
/** An end tag of any other element has no effect beyond one of these. */
const special: ReadonlySet<string> = new Set([
  ...paragraphEnds,
  ...scopes,
  ...words('body tbody thead tfoot tr select iframe colgroup head noscript'),
])
/** A start tag ends an open element of the same group, unless one of the listed lies between. */
const siblings = new Map(
  [
    { names: 'li', within: words('ul ol menu table td th section article blockquote') },
    { names: 'dd dt', within: words('dl table td th section article blockquote') },
    { names: 'option', within: words('select optgroup') },
    { names: 'td th', within: words('table') },
    { names: 'tr', within: words('table') },
    { names: 'tbody thead tfoot', within: words('table') },
  ].flatMap(({ names, within }) =>
    names.split(' ').map((name) => [name, { group: names.split(' '), within }] as const),
  ),
)

/** The open elements, as far as their number and depth matter. */
class OpenElements {
  readonly #names: string[] = []
  /** Where the open elements of a name, and those of a set of names, lie in `#names`. */
  readonly #places = new Map<string | ReadonlySet<string>, number[]>()
  readonly #formatting = new Map<string, number>()
  #foreign = 0
  /** How many elements the parser may add again with the next tag. */
  repeatedMax = 0
  seen = 0

  get depth(): number {
    return this.#names.length
  }

  start(name: string, isSelfClosing: boolean): void {
    this.seen++
    if (paragraphEnds.has(name)) this.#closeUpTo(['p'], scopes)
    const rule = siblings.get(name)
    if (rule) this.#closeUpTo(rule.group, rule.within)
    if (alone.has(name)) this.close(name)
    if (voids.has(name) || (isSelfClosing && this.#foreign > 0)) return
    if (name === 'svg' || name === 'math') this.#foreign++
    if (formatting.has(name)) this.#count(name, 1)
    for (const key of keysOf(name)) {
      const places = this.#places.get(key)
      if (places) places.push(this.#names.length)
      else this.#places.set(key, [this.#names.length])
    }
    this.#names.push(name)
  }

  close(name: string): void {
    if (formatting.has(name)) this.#count(name, -1)
    this.#closeUpTo([name], special.has(name) ? scopesOf(name) : special)
  }

  /** Closes the last open element of these names, unless one of `within` was opened after it. */
  #closeUpTo(names: readonly string[], within: ReadonlySet<string>): void {
    let last = -1
    for (const name of names) last = Math.max(last, this.#lastPlace(name))
    if (last >= 0 && last >= this.#lastPlace(within)) this.#truncate(last)
  }

  #lastPlace(key: string | ReadonlySet<string>): number {
    return this.#places.get(key)?.at(-1) ?? -1
  }

  #truncate(length: number): void {
    while (this.#names.length > length) {
      const name = this.#names.pop() ?? ''
      if (name === 'svg' || name === 'math') this.#foreign--
      for (const key of keysOf(name)) this.#places.get(key)?.pop()
    }
  }

  #count(name: string, change: number): void {
    const most = alone.has(name) ? 1 : Number.POSITIVE_INFINITY
    const before = this.#formatting.get(name) ?? 0
    const after = Math.min(most, Math.max(0, before + change))
    this.#formatting.set(name, after)
    this.repeatedMax += after - before
  }
}

const tableScopes = words('table html template')

/** The scopes beyond which an end tag has no effect; those of tables end any other inside the table. */
const scopesOf = (name: string): ReadonlySet<string> =>
  /^(?:table|tbody|thead|tfoot|tr|td|th|caption)$/.test(name) ? tableScopes : scopes

const limitingSets = [
  scopes,
  special,
  tableScopes,
  ...[...siblings.values()].map(({ within }) => within),
].filter((set, index, all) => all.indexOf(set) === index)

const keysByName = new Map<string, (string | ReadonlySet<string>)[]>()

/** What an open element counts as: its name, and each set that limits how far a tag has effect. */
function keysOf(name: string): readonly (string | ReadonlySet<string>)[] {
  const known = keysByName.get(name)
  if (known) return known
  const keys = [name, ...limitingSets.filter((set) => set.has(name))]
  // A page may have any number of names, but only those of HTML are worth keeping.
  if (keys.length > 1) keysByName.set(name, keys)
  return keys
}

interface ScannedTag {
  /** The position after the tag's `>`. */
  end: number
  attributes: number
  isSelfClosing: boolean
}

/** Reads the attributes of a tag from the position after its name. */
function scanTag(html: string, from: number): ScannedTag {
  const part =
    /\s*(?:(\/?>)|\/|[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>]*))?|$)/y
  let attributes = 0
  part.lastIndex = from
  for (;;) {
    const match = part.exec(html)
    if (!match || match[0] === '') return { end: html.length, attributes, isSelfClosing: false }
    if (match[1]) return { end: part.lastIndex, attributes, isSelfClosing: match[1] === '/>' }
    attributes++
  }
}

function skipComment(html: string, opening: string, from: number): number {
  const isComment = opening === '<!--'
  // `<!-->` is a whole comment.
  const end = html.indexOf(isComment ? '-->' : '>', isComment ? from - 2 : from)
  return end < 0 ? html.length : end + (isComment ? 3 : 1)
}

const rawTextEnds = new Map(
  [...rawText].map((name) => [name, new RegExp(`</${name}[\\s/>]`, 'gi')] as const),
)

function skipRawText(html: string, name: string, from: number): number {
  const end = rawTextEnds.get(name) ?? /$/g
  end.lastIndex = from
  const match = end.exec(html)
  return match ? match.index : html.length
}

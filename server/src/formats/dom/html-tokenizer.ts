import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { html as names, Token, type TokenHandler, type Tokenizer, TokenizerMode } from 'parse5'
import type { MarkupLimits } from './markup-limits.ts'

const { TokenType } = Token

interface TokenizerParts {
  handler: TokenHandler
  /** That of parse5. */
  ordinary: Tokenizer
  limits: MarkupLimits
}

/**
 * Tells the tree builder of parse5 what stands in a page, by the rules of HTML. Its own tokenizer looks at each
 * character by itself, which takes most of the time of parsing; here, regular expressions find where each
 * piece ends. The tree builder sets `state` and `inForeignNode`, by which characters mean other things.
 */
export class HtmlTokenizer {
  state: number = TokenizerMode.DATA
  inForeignNode = false
  readonly #html: string
  readonly #handler: TokenHandler
  readonly #ordinary: Tokenizer
  readonly #limits: MarkupLimits
  #at = 0
  /** Its end tag ends what is no markup. */
  #lastStartTag = ''
  #hasDoctype = false

  constructor(html: string, { handler, ordinary, limits }: TokenizerParts) {
    this.#html = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
    this.#handler = handler
    this.#ordinary = ordinary
    this.#limits = limits
  }

  run(): void {
    const { length } = this.#html
    while (this.#at < length) {
      if (this.state === TokenizerMode.DATA) this.#readData()
      else if (this.state === TokenizerMode.PLAINTEXT) this.#emitUnparsed(length)
      else if (this.state === TokenizerMode.SCRIPT_DATA) this.#emitUnparsed(this.#findEndOfScript())
      else this.#emitUnparsed(this.#findEndTag(this.#at))
    }
    this.#handler.onEof({ type: TokenType.EOF, location: null })
  }

  #readData(): void {
    const html = this.#html
    let start = indexFrom(html, '<', this.#at)
    // Any other is text.
    while (start < html.length && !markupStarts.test(html[start + 1] ?? '')) {
      start = indexFrom(html, '<', start + 1)
    }
    if (start > this.#at) this.#emitText(decodeText(html.slice(this.#at, start)))
    this.#at = start
    if (start === html.length) return
    const next = html[start + 1] ?? ''
    if (next === '/') this.#readEndTag(start)
    else if (next === '!') this.#readDeclaration(start + 2)
    else if (next === '?') this.#readBogusComment(start + 1)
    else this.#readTag(start + 1, TokenType.START_TAG)
  }

  #readEndTag(start: number): void {
    const next = this.#html[start + 2] ?? ''
    if (letter.test(next)) this.#readTag(start + 2, TokenType.END_TAG)
    else if (next === '>') this.#at = start + 3
    else if (next !== '') this.#readBogusComment(start + 2)
    else {
      this.#emitText('</')
      this.#at = start + 2
    }
  }

  #readTag(nameAt: number, type: Token.TokenType.START_TAG | Token.TokenType.END_TAG): void {
    const html = this.#html
    const tagName = nameFrom(readAt(tagNamePart, html, nameAt))
    const attrs: Token.Attribute[] = []
    this.#limits.addTag()
    let at = tagNamePart.lastIndex
    let isSelfClosing = false
    for (let count = 1; ; count += 1) {
      isSelfClosing = false
      if (html[at] === '>') break
      attributePart.lastIndex = at
      const [read = '', name, equals, double, single, bare] = attributePart.exec(html) ?? []
      at += read.length
      isSelfClosing = read.endsWith('/')
      if (name === undefined) break
      const value = double ?? single ?? bare
      // Without the second quote, the page ends in the tag.
      if (equals !== undefined && value === undefined && /["']/.test(html[at] ?? ''))
        at = html.length
      const attributeName = nameFrom(name)
      this.#limits.requireAttributes(count)
      if (attrs.some((earlier) => earlier.name === attributeName)) continue
      attrs.push({ name: attributeName, value: value ? decodeValue(value) : '' })
    }
    this.#at = at + 1
    // A tag in which the page ends is none.
    if (at >= html.length) return
    const tagID = names.getTagID(tagName)
    const flags = { selfClosing: isSelfClosing, ackSelfClosing: false }
    const tag: Token.TagToken = { type, tagName, tagID, attrs, ...flags, location: null }
    if (type === TokenType.END_TAG) this.#handler.onEndTag(tag)
    else {
      this.#lastStartTag = tagName
      this.#handler.onStartTag(tag)
    }
  }

  /** After `<!`. */
  #readDeclaration(from: number): void {
    const html = this.#html
    if (html.startsWith('--', from)) this.#readComment(from + 2)
    else if (/^doctype$/i.test(html.slice(from, from + 7))) {
      this.#readDoctype(from)
    } else if (this.inForeignNode && html.startsWith('[CDATA[', from)) {
      this.#at = from + 7
      const end = indexFrom(html, ']]>', this.#at)
      if (end > this.#at) this.#emitText(html.slice(this.#at, end))
      this.#at = end + 3
    } else this.#readBogusComment(from)
  }

  #readDoctype(from: number): void {
    this.#at = indexFrom(this.#html, '>', from) + 1
    // The tree builder does not look into any but the first.
    if (this.#hasDoctype) this.#handler.onDoctype(laterDoctype)
    // There is one in a page, so its rules need not be here.
    else this.#ordinary.write(`<!${this.#html.slice(from, this.#at)}`, false)
    this.#hasDoctype = true
  }

  #readComment(from: number): void {
    const html = this.#html
    const [empty] = /^-?>/.exec(html.slice(from, from + 2)) ?? []
    if (empty !== undefined) {
      this.#emitComment('', from + empty.length)
      return
    }
    commentEnd.lastIndex = from
    const end = commentEnd.exec(html)
    if (end) this.#emitComment(html.slice(from, end.index), commentEnd.lastIndex)
    else this.#emitComment(html.slice(from).replace(/(?:--!?|-)$/, ''), html.length)
  }

  #readBogusComment(from: number): void {
    const end = indexFrom(this.#html, '>', from)
    this.#emitComment(this.#html.slice(from, end), end + 1)
  }

  /** Where the element ends whose content is no markup. */
  #findEndTag(from: number): number {
    const end = endTagOf(this.#lastStartTag)
    end.lastIndex = from
    return end.exec(this.#html)?.index ?? this.#html.length
  }

  /** A script may write scripts inside what looks like a comment. */
  #findEndOfScript(): number {
    const html = this.#html
    let state: 'script' | 'comment' | 'script in comment' = 'script'
    scriptPart.lastIndex = this.#at
    for (let part = scriptPart.exec(html); part; part = scriptPart.exec(html)) {
      const [text] = part
      if (text === '-->') state = 'script'
      else if (text === '<!--') {
        if (state === 'script') state = 'comment'
        // Its dashes may be the first of its end.
        scriptPart.lastIndex -= 2
      } else if (text[1] === '/') {
        if (state !== 'script in comment') return part.index
        state = 'comment'
      } else if (state === 'comment') state = 'script in comment'
    }
    return html.length
  }

  /** Text in which there is no markup, up to an end tag or the end of the page. */
  #emitUnparsed(end: number): void {
    const text = withoutNull(this.#html.slice(this.#at, end))
    if (text !== '') this.#emitText(this.state === TokenizerMode.RCDATA ? decodeText(text) : text)
    this.#at = end
    this.state = TokenizerMode.DATA
  }

  /** The tree builder wants white space at the beginning, and characters 0, by themselves. */
  #emitText(text: string): void {
    for (const part of text.includes('\0') ? text.split(/(\0+)/) : [text]) {
      const chars = part.trimStart() === part ? part : part.replace(leadingSpace, '')
      if (chars.length < part.length) {
        const space = part.slice(0, part.length - chars.length)
        const type = TokenType.WHITESPACE_CHARACTER
        this.#handler.onWhitespaceCharacter({ type, chars: space, location: null })
      }
      if (chars === '') continue
      const isNull = chars.startsWith('\0')
      const type = isNull ? TokenType.NULL_CHARACTER : TokenType.CHARACTER
      const token: Token.CharacterToken = { type, chars, location: null }
      if (isNull) this.#handler.onNullCharacter(token)
      else this.#handler.onCharacter(token)
    }
  }

  #emitComment(text: string, end: number): void {
    this.#at = end
    this.#handler.onComment({ type: TokenType.COMMENT, data: withoutNull(text), location: null })
  }
}

const laterDoctype: Token.DoctypeToken = {
  type: TokenType.DOCTYPE,
  name: null,
  forceQuirks: false,
  publicId: null,
  systemId: null,
  location: null,
}

const letter = /[a-zA-Z]/
const markupStarts = /[a-zA-Z/!?]/
const tagNamePart = /[^\t\n\f />]+/y
const attributePart =
  /[\t\n\f /]*(?:([^\t\n\f />][^\t\n\f />=]*)(?:[\t\n\f ]*(=)[\t\n\f ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f >"'][^\t\n\f >]*))?)?)?/y
const commentEnd = /--!?>/g
const scriptPart = /<!--|-->|<\/?script(?=[\t\n\f />])/gi
const leadingSpace = /^[\t\n\f\r ]+/

const endTags = new Map<string, RegExp>()

function endTagOf(name: string): RegExp {
  const known = endTags.get(name)
  if (known) return known
  const end = new RegExp(`</${name}(?=[\\t\\n\\f />])`, 'gi')
  endTags.set(name, end)
  return end
}

/** `indexOf`, with the end of the text instead of -1. */
function indexFrom(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from)
  return found === -1 ? text.length : found
}

function readAt(part: RegExp, text: string, at: number): string {
  part.lastIndex = at
  return part.exec(text)?.[0] ?? ''
}

/** In lower case as far as it is ASCII. */
const nameFrom = (text: string): string =>
  withoutNull(/[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, (part) => part.toLowerCase()) : text)

const withoutNull = (text: string): string =>
  text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text

const decodeText = (text: string): string => (text.includes('&') ? decodeHTML(text) : text)

const decodeValue = (value: string): string =>
  withoutNull(value.includes('&') ? decodeHTMLAttribute(value) : value)

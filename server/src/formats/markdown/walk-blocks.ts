import { type Element, findElement, isElement, type Node, nodeTypes } from '../dom/dom.ts'
import { hasText, isRowOfBoxes, joinAlert, linkPieces, withoutLabel } from './block-pieces.ts'
import type { Block, ListItem } from './block-tree.ts'
import { codeLanguage } from './code-language.ts'
import { codeText } from './code-text.ts'
import { classOf, headingLevel, isBlock, isSpace, styleOf } from './element-kinds.ts'
import { escapeLineStarts } from './escape-markdown.ts'
import { findFormula } from './formulas.ts'
import { isHidden } from './hidden-elements.ts'
import { type InlinePiece, InlineWriter } from './inline-writer.ts'
import { linkUrl } from './link-target.ts'
import { continuesList, listStart, taskState } from './list-items.ts'
import type { PageParts } from './page-parts.ts'
import { renderInlines } from './render-inlines.ts'
import { listRows } from './table-rows.ts'
import { isCodeTable, isLayoutTable, toTable } from './tables.ts'
import { depthMax, writeFlat, writeInline } from './walk-inlines.ts'

/** Quotes and lists inside more of them than this lose their frame: each level indents all lines. */
const nestingMax = 20

type BlockHandler = (element: Element, walk: BlockWalk) => void

/** Turns elements into blocks; text between blocks becomes paragraphs. */
export class BlockWalk {
  readonly blocks: Block[] = []
  readonly #page: PageParts
  readonly #nesting: number
  #depth: number
  #line = new InlineWriter()
  #isPreformatted = false
  /** The link around the blocks at hand, until one of them takes it. */
  #link: { url: string; isForHeading: boolean } | undefined

  constructor(page: PageParts, depth = 0, nesting = 0) {
    this.#page = page
    this.#depth = depth
    this.#nesting = nesting
  }

  /** Converts the whole part of the page that was asked for. */
  root(element: Element): void {
    if (element.localName === 'body' || element.localName === 'html') this.children(element)
    else this.element(element)
    this.#flush()
  }

  children(parent: Element): void {
    if (this.#depth >= depthMax) {
      writeFlat(parent, this.#line)
      return
    }
    this.#depth++
    const isRow = isRowOfBoxes(parent)
    for (let child = parent.firstChild; child; child = child.nextSibling) {
      if (isRow) this.#line.space()
      this.#node(child)
    }
    this.#depth--
  }

  #node(node: Node): void {
    if (isElement(node)) this.element(node)
    else if (node.nodeType === nodeTypes.text) this.#inline(node)
  }

  element(element: Element): void {
    if (this.#depth >= depthMax) {
      writeFlat(element, this.#line)
      return
    }
    const { footnotes, holders } = this.#page
    if (!isBlock(element) && !holders.has(element)) {
      if (isCodeBlock(element)) this.code(element)
      else this.#inline(element)
      return
    }
    if ((isHidden(element) && !findFormula(element)) || footnotes.backlinks.has(element)) return
    if (footnotes.references.has(element) || findFormula(element)) {
      this.#aside(() => this.#inline(element))
      return
    }
    if (footnotes.definitions.has(element)) {
      this.definition(element)
      return
    }
    const level = headingLevel(element)
    const handle = level === undefined ? handlers.get(element.localName) : undefined
    if (level !== undefined) this.#heading(element, level)
    else if (handle) handle(element, this)
    else this.plain(element)
  }

  /** A block without a meaning of its own. */
  plain(element: Element): void {
    const before = this.#isPreformatted
    this.#isPreformatted ||= /white-space\s*:\s*(?:pre|break-spaces)/.test(
      styleOf(element).slice(0, 500),
    )
    this.#aside(() => this.children(element))
    this.#isPreformatted = before
  }

  /** A block whose text is bold, such as a term or a summary. */
  term(element: Element): void {
    if (this.#page.holders.has(element) || !hasText(element)) {
      this.plain(element)
      return
    }
    this.#aside(() => {
      this.#line.open('strong')
      this.children(element)
    })
  }

  /** The title of an alert on GitHub is its kind, in a notation of its own. */
  admonitionTitle(element: Element): void {
    const kind = /markdown-alert-(?!title)(\w+)/.exec(
      classOf(element.parentElement ?? element),
    )?.[1]
    if (kind) this.blocks.push({ kind: 'paragraph', text: `[!${kind.toUpperCase()}]` })
    else this.term(element)
  }

  code(element: Element): void {
    const text = codeText(element)
    if (isSpace(text)) return
    this.#flush()
    const language = codeLanguage(element)
    const previous = this.blocks.at(-1)
    // Some pages show the name of the language in the frame of the code.
    const isLabel =
      previous?.kind === 'paragraph' && language !== '' && previous.text.toLowerCase() === language
    if (isLabel) this.blocks.pop()
    this.blocks.push({ kind: 'code', language, text })
  }

  /** Code in a `div` of its own, without a `pre`. */
  isBareCode(element: Element): boolean {
    const isNamed =
      element.hasAttribute('data-lang') || /(?:^|\s)code-block(?:\s|$)/.test(classOf(element))
    return isNamed && !this.#page.holders.has(element) && codeText(element).includes('\n')
  }

  quote(element: Element, title = ''): void {
    this.#flush()
    const blocks = this.#inside(element)
    if (blocks.length === 0) return
    if (title !== '') blocks.unshift({ kind: 'paragraph', text: `**${title}**` })
    if (this.#isNestable) this.blocks.push({ kind: 'quote', blocks: joinAlert(blocks) })
    else this.#pushAll(blocks)
  }

  list(list: Element): void {
    this.#flush()
    const items: ListItem[] = []
    const notes: Block[] = []
    for (let child = list.firstChild; child; child = child.nextSibling) {
      if (!isElement(child)) {
        if (child.nodeType !== nodeTypes.text || isSpace(child.nodeValue ?? '')) continue
      } else if (isHidden(child)) continue
      this.#item(child, items, notes)
    }
    const previous = this.blocks.at(-1)
    if (previous?.kind === 'list' && continuesList(list, previous)) {
      for (const item of items) previous.items.push(item)
    } else if (items.length > 0 && this.#isNestable) {
      this.blocks.push({ kind: 'list', start: listStart(list), items })
    } else for (const { blocks } of items) this.#pushAll(blocks)
    this.#pushAll(notes)
  }

  #item(child: Node, items: ListItem[], notes: Block[]): void {
    const walk = new BlockWalk(this.#page, this.#depth + 1, this.#nesting + 1)
    const isOwnItem = isElement(child) && (child.localName === 'li' || child.localName === 'div')
    if (isElement(child) && this.#page.footnotes.definitions.has(child)) {
      walk.definition(child)
      for (const block of walk.blocks) notes.push(block)
      return
    }
    if (isElement(child) && child.localName === 'li') walk.children(child)
    else walk.#node(child)
    walk.#flush()
    const last = items.at(-1)
    // A list directly in a list belongs to the item before it.
    if (last && !isOwnItem) for (const block of walk.blocks) last.blocks.push(block)
    else if (walk.blocks.length > 0) {
      items.push({ isDone: isElement(child) ? taskState(child) : undefined, blocks: walk.blocks })
    }
  }

  /** Items that stand outside a list. */
  strayItem(item: Element): void {
    this.#flush()
    const items: ListItem[] = []
    this.#item(item, items, [])
    const previous = this.blocks.at(-1)
    if (previous?.kind === 'list' && previous.start === undefined) previous.items.push(...items)
    else if (items.length > 0) this.blocks.push({ kind: 'list', start: undefined, items })
  }

  table(table: Element): void {
    if (isCodeTable(table)) {
      this.code(table)
      return
    }
    const rows = listRows(table).filter(({ element }) => !isHidden(element))
    if (isLayoutTable(table, rows)) {
      this.plain(table)
      return
    }
    for (let part = table.firstElementChild; part; part = part.nextElementSibling) {
      if (part.localName === 'caption') this.plain(part)
    }
    this.#flush()
    const block = toTable(rows, (cell) => (isHidden(cell) ? [] : this.#inside(cell)))
    if (block) this.blocks.push(block)
  }

  rule(): void {
    this.#flush()
    this.blocks.push({ kind: 'rule' })
  }

  definition(element: Element): void {
    this.note(this.#page.footnotes.definitions.get(element) ?? '', element)
  }

  note(label: string, element: Element): void {
    this.#flush()
    const blocks = withoutLabel(this.#inside(element), label)
    // A line above the footnotes only sets them apart.
    if (blocks.length > 0 && this.blocks.at(-1)?.kind === 'rule') this.blocks.pop()
    if (blocks.length > 0) this.blocks.push({ kind: 'footnote', label, blocks })
  }

  /** A link around blocks: the heading takes it, or else the first text. */
  link(anchor: Element): void {
    const url = linkUrl(anchor.getAttribute('href'), this.#page.baseUrl)
    if (url === undefined || !hasText(anchor)) {
      this.#aside(() => (url === undefined ? this.children(anchor) : this.#inline(anchor)))
      return
    }
    const isForHeading =
      findElement(anchor, ({ localName }) => /^h[1-6]$/.test(localName)) !== undefined
    const isPermalink = isForHeading && url.startsWith(`${this.#page.baseUrl.split('#')[0]}#`)
    this.#flush()
    this.#link = isPermalink ? undefined : { url, isForHeading }
    this.children(anchor)
    this.#flush()
    this.#link = undefined
  }

  get #isNestable(): boolean {
    return this.#nesting < nestingMax
  }

  #heading(element: Element, level: number): void {
    this.#flush()
    const writer = new InlineWriter(false)
    this.#write(element, writer, true)
    const [pieces] = writer.take()
    const text = pieces ? renderInlines(this.#linked(pieces, true), ' ') : ''
    if (text !== '') this.blocks.push({ kind: 'heading', level, text })
  }

  #inline(node: Node): void {
    this.#write(node, this.#line, false)
  }

  #write(node: Node, writer: InlineWriter, isHeading: boolean): void {
    const place = { page: this.#page, writer, depth: this.#depth, isHeading }
    writeInline(node, { ...place, isPreformatted: this.#isPreformatted })
  }

  #inside(element: Element): Block[] {
    const walk = new BlockWalk(this.#page, this.#depth + 1, this.#nesting + 1)
    walk.children(element)
    walk.#flush()
    return walk.blocks
  }

  #aside(write: () => void): void {
    this.#flush()
    write()
    this.#flush()
  }

  #flush(): void {
    if (!this.#line.hasContent) {
      this.#line.take()
      return
    }
    for (const pieces of this.#line.take()) {
      const text = escapeLineStarts(renderInlines(this.#linked(pieces, false)))
      if (text !== '') this.blocks.push({ kind: 'paragraph', text })
    }
  }

  /** Gives the link around the blocks to this one, if it is the right one. */
  #linked(pieces: InlinePiece[], isHeading: boolean): InlinePiece[] {
    if (!this.#link || this.#link.isForHeading !== isHeading) return pieces
    if (!pieces.some(({ kind }) => kind === 'text')) return pieces
    const { url } = this.#link
    this.#link = undefined
    return linkPieces(pieces, url)
  }

  #pushAll(blocks: readonly Block[]): void {
    for (const block of blocks) this.blocks.push(block)
  }
}

const codeFrame =
  /(?:^|\s)(?:syntaxhighlighter|crayon-syntax|CodeMirror|cm-editor|monaco-editor)(?:\s|$)/
const admonition =
  /(?:^|\s)(?:admonition|markdown-alert|theme-admonition|custom-block|callout|admonitionblock)(?:\s|$)/

const asideCallout = /(?:^|[\s-])(?:admonition|callout|aside--\w+)(?:\s|$)/

const admonitionTitle =
  /(?:^|\s)(?:admonition-title|custom-block-title|callout-title|markdown-alert-title|admonition-?[hH]eading\w*)(?:\s|$)/

// A map, as a page may have an element named `constructor`.
const handlers = new Map(
  Object.entries<BlockHandler>({
    a: (element, walk) => walk.link(element),
    aside: (element, walk) => {
      // Its title is often an icon and a word that only the label repeats for readers of the markup.
      const label = element.getAttribute('aria-label') ?? ''
      if (asideCallout.test(classOf(element))) walk.quote(element, /^\w+$/.test(label) ? label : '')
      else walk.plain(element)
    },
    blockquote: (element, walk) => walk.quote(element),
    dir: (element, walk) => walk.list(element),
    div: (element, walk) => {
      const className = classOf(element)
      if (className === '' && !element.hasAttribute('data-lang')) walk.plain(element)
      else if (codeFrame.test(className) || walk.isBareCode(element)) walk.code(element)
      else if (admonition.test(className)) walk.quote(element)
      else if (admonitionTitle.test(className)) walk.admonitionTitle(element)
      else walk.plain(element)
    },
    dt: (element, walk) => walk.term(element),
    p: (element, walk) => {
      const className = classOf(element)
      if (className !== '' && admonitionTitle.test(className)) walk.admonitionTitle(element)
      else walk.plain(element)
    },
    hr: (element, walk) => {
      // Generators draw a line above the footnotes.
      if (!/footnotes/.test(element.parentElement ? classOf(element.parentElement) : ''))
        walk.rule()
    },
    li: (element, walk) => walk.strayItem(element),
    menu: (element, walk) => walk.list(element),
    ol: (element, walk) => walk.list(element),
    pre: (element, walk) => walk.code(element),
    summary: (element, walk) => walk.term(element),
    table: (element, walk) => walk.table(element),
    ul: (element, walk) => walk.list(element),
  }),
)

/** A `code` that a style or a class makes a block, with several lines in it. */
function isCodeBlock(element: Element): boolean {
  if (element.localName !== 'code') return false
  const isStyled =
    /(?:white-space\s*:\s*pre|display\s*:\s*block)/.test(styleOf(element).slice(0, 500)) ||
    /(?:^|\s)(?:!?whitespace-pre|block|hljs|language-\S+)(?:\s|$)/.test(classOf(element))
  if (/(?:^|\s)block(?:\s|$)/.test(classOf(element))) return true
  return isStyled && codeText(element).includes('\n')
}

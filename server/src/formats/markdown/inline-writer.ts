import { singleSpaced } from '../dom/collapse-space.ts'

export type Mark = 'strong' | 'emphasis' | 'strike' | 'superscript' | 'subscript' | 'link'

export interface OpenMark {
  kind: 'open'
  mark: Mark
  url: string
  /** Where the mark ends, among the pieces of its line. */
  closeAt: number
  /** Markdown cannot express the mark here, so that its content stands without it. */
  isDropped: boolean
  /** Text that was moved out of the mark, in front of it or behind it. */
  movedBefore: string
  movedAfter: string
}

/** The parts of a line of text, in order; marks open and close properly nested. */
export type InlinePiece =
  | { kind: 'text'; text: string }
  /** Finished markdown, such as a code span. */
  | { kind: 'atom'; text: string }
  | { kind: 'break' }
  | OpenMark
  | { kind: 'close'; open: OpenMark }

const invisible = /[\u00ad\u200b\u2060\ufeff]/g

/**
 * Collects the inline content of a block. White space collapses as in a browser and moves out of marks;
 * marks around nothing disappear; two line breaks in a row start a new paragraph.
 */
export class InlineWriter {
  /** Finished lines, one for each paragraph. */
  readonly #lines: InlinePiece[][] = []
  #pieces: InlinePiece[] = []
  #openMarks: OpenMark[] = []
  #hasContent = false
  #hasPendingSpace = false
  #pendingBreaks = 0
  readonly #keepsBreaks: boolean

  /** Without `keepsBreaks` a line break is a space, as in a heading. */
  constructor(keepsBreaks = true) {
    this.#keepsBreaks = keepsBreaks
  }

  get hasContent(): boolean {
    return this.#hasContent || this.#lines.length > 0
  }

  text(raw: string): void {
    const text = singleSpaced(raw.replace(invisible, ''))
    if (text === '') return
    if (text[0] === ' ') this.space()
    const content = text.trim()
    if (content === '') return
    this.#startContent()
    const last = this.#pieces.at(-1)
    if (last?.kind === 'text') last.text += content
    else this.#pieces.push({ kind: 'text', text: content })
    if (text.endsWith(' ')) this.space()
  }

  /** Text whose line breaks count, as `white-space: pre-wrap` shows it. */
  preformatted(raw: string): void {
    raw.split('\n').forEach((line, index) => {
      if (index > 0) this.break()
      this.text(line)
    })
  }

  atom(markdown: string): void {
    this.#startContent()
    this.#pieces.push({ kind: 'atom', text: markdown })
  }

  space(): void {
    this.#hasPendingSpace = true
  }

  break(): void {
    if (this.#keepsBreaks) this.#pendingBreaks++
    else this.space()
  }

  /** Starts a mark, unless the text has it already; then there is nothing to close either. */
  open(mark: Mark, url = ''): boolean {
    if (this.#openMarks.some((open) => open.mark === mark)) return false
    const last = this.#pieces.at(-1)
    const isPending = this.#hasPendingSpace || this.#pendingBreaks > 0
    if (last?.kind === 'close' && last.open.mark === mark && mark !== 'link' && !isPending) {
      this.#pieces.pop()
      this.#openMarks.push(last.open)
      return true
    }
    // Two links without a space between them are two items of a row.
    if (last?.kind === 'close' && last.open.mark === 'link' && mark === 'link') this.#spaceLinks()
    const open = openMark(mark, url)
    this.#pieces.push(open)
    this.#openMarks.push(open)
    return true
  }

  /** A link of one letter is the start of a word. */
  #spaceLinks(): void {
    const before = this.#pieces.at(-2)
    if (before?.kind !== 'text' || before.text.length > 1) this.space()
  }

  close(): void {
    const open = this.#openMarks.pop()
    if (!open) return
    if (this.#pieces.at(-1) === open) this.#pieces.pop()
    else this.#push({ kind: 'close', open })
  }

  /** The lines collected so far; the writer is empty again. */
  take(): InlinePiece[][] {
    while (this.#openMarks.length > 0) this.close()
    if (this.#hasContent) this.#lines.push(this.#pieces)
    this.#pieces = []
    this.#hasContent = false
    this.#hasPendingSpace = false
    this.#pendingBreaks = 0
    return this.#lines.splice(0)
  }

  #push(piece: InlinePiece): void {
    if (piece.kind === 'close') piece.open.closeAt = this.#pieces.length
    this.#pieces.push(piece)
  }

  /** Places the white space that came before the content: in front of the marks that start with it. */
  #startContent(): void {
    if (this.#hasContent && this.#pendingBreaks > 1) this.#startParagraph()
    else if (this.#hasContent && this.#pendingBreaks === 1) this.#separate({ kind: 'break' })
    else if (this.#hasContent && this.#hasPendingSpace) this.#separate({ kind: 'text', text: ' ' })
    this.#hasContent = true
    this.#hasPendingSpace = false
    this.#pendingBreaks = 0
  }

  #separate(separator: InlinePiece): void {
    const starting = this.#takeStartingMarks()
    const last = this.#pieces.at(-1)
    if (last?.kind === 'text' && separator.kind === 'text') last.text += separator.text
    else this.#pieces.push(separator)
    this.#pieces.push(...starting)
  }

  #takeStartingMarks(): OpenMark[] {
    const starting: OpenMark[] = []
    for (let last = this.#pieces.at(-1); last?.kind === 'open'; last = this.#pieces.at(-1)) {
      starting.unshift(last)
      this.#pieces.pop()
    }
    return starting
  }

  #startParagraph(): void {
    this.#takeStartingMarks()
    const ended = new Set(this.#pieces)
    for (const open of this.#openMarks.toReversed()) {
      if (ended.has(open)) this.#push({ kind: 'close', open })
    }
    this.#lines.push(this.#pieces)
    this.#openMarks = this.#openMarks.map(({ mark, url }) => openMark(mark, url))
    this.#pieces = [...this.#openMarks]
  }
}

export const openMark = (mark: Mark, url: string): OpenMark => ({
  kind: 'open',
  mark,
  url,
  closeAt: -1,
  isDropped: false,
  movedBefore: '',
  movedAfter: '',
})

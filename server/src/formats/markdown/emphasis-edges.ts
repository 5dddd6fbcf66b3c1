import type { InlinePiece, OpenMark } from './inline-writer.ts'

const blank = /^\s?$/
const punctuation = /^[\p{P}\p{S}]$/u
const leadingPunctuation = /^[\p{P}\p{S}\s]+/u

/** The marks that markdown writes with characters which text may contain as well. */
const written = new Set(['strong', 'emphasis', 'strike'])

/**
 * Markdown reads `**` as a mark only if the characters on both sides allow it: `**Note:**text` is not
 * bold. Punctuation at such an edge moves out of the mark, which keeps the text and most of the look.
 * Chinese and Japanese pages need it often, as they have no spaces around marks.
 */
export function repairEmphasis(pieces: InlinePiece[]): void {
  pieces.forEach((piece, at) => {
    if (piece.kind === 'open' && written.has(piece.mark)) repairStart(pieces, at, piece)
    if (piece.kind === 'close' && written.has(piece.open.mark)) repairEnd(pieces, at, piece.open)
  })
}

const isInner = (before: string, inside: string): boolean =>
  punctuation.test(inside) && !blank.test(before) && !punctuation.test(before)

function repairStart(pieces: InlinePiece[], at: number, open: OpenMark): void {
  const next = pieces[skipMarks(pieces, at + 1, 1, 'open')]
  if (!isInner(edgeOf(pieces[at - 1], 'last'), edgeOf(next, 'first'))) return
  const moved = next?.kind === 'text' ? (leadingPunctuation.exec(next.text)?.[0] ?? '') : ''
  if (next?.kind !== 'text' || moved.length === next.text.length) {
    open.isDropped = true
    return
  }
  next.text = next.text.slice(moved.length)
  open.movedBefore = moved
}

function repairEnd(pieces: InlinePiece[], at: number, open: OpenMark): void {
  const previous = pieces[skipMarks(pieces, at - 1, -1, 'close')]
  if (!isInner(edgeOf(pieces[at + 1], 'first'), edgeOf(previous, 'last'))) return
  const moved = previous?.kind === 'text' ? trailingPunctuation(previous.text) : ''
  if (previous?.kind !== 'text' || moved.length === previous.text.length) {
    open.isDropped = true
    return
  }
  previous.text = previous.text.slice(0, -moved.length)
  open.movedAfter = moved
}

/** A loop, because a regular expression for the end of a text looks at every place of it. */
function trailingPunctuation(text: string): string {
  let start = text.length
  while (start > 0 && leadingPunctuation.test(text[start - 1] ?? '')) start--
  return text.slice(start)
}

/** The place of the first piece that is no mark of the same direction: marks in a row are one run. */
function skipMarks(
  pieces: InlinePiece[],
  from: number,
  step: 1 | -1,
  kind: 'open' | 'close',
): number {
  let at = from
  for (let piece = pieces[at]; piece?.kind === kind; piece = pieces[at]) {
    const mark = piece.kind === 'open' ? piece.mark : piece.open.mark
    if (!written.has(mark)) break
    at += step
  }
  return at
}

/** The character at one end of what a piece becomes; empty where a line starts or ends. */
function edgeOf(piece: InlinePiece | undefined, end: 'first' | 'last'): string {
  if (!piece || piece.kind === 'break') return ''
  if (piece.kind === 'text' || piece.kind === 'atom') {
    return (end === 'first' ? piece.text[0] : piece.text.at(-1)) ?? ''
  }
  const open = piece.kind === 'open' ? piece : piece.open
  if (open.movedAfter !== '' && end === 'last') return open.movedAfter.at(-1) ?? ''
  return '*'
}

import { repairEmphasis } from './emphasis-edges.ts'
import { escapeText } from './escape-markdown.ts'
import type { InlinePiece, Mark, OpenMark } from './inline-writer.ts'

const signs: Record<Mark, { open: string; close: (open: OpenMark) => string }> = {
  strong: { open: '**', close: () => '**' },
  emphasis: { open: '*', close: () => '*' },
  strike: { open: '~~', close: () => '~~' },
  superscript: { open: '<sup>', close: () => '</sup>' },
  subscript: { open: '<sub>', close: () => '</sub>' },
  link: { open: '[', close: ({ url }) => `](${url})` },
}

/** Writes one line of inline content as markdown. `lineBreak` is the markdown of a hard line break. */
export function renderInlines(pieces: InlinePiece[], lineBreak = '  \n'): string {
  repairEmphasis(pieces)
  const underscored = new Set<OpenMark>()
  const parts: string[] = []
  let last = ''
  let linkDepth = 0
  const write = (part: string) => {
    if (part === '') return
    parts.push(part)
    last = part.at(-1) ?? ''
  }
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at]
    if (piece?.kind === 'atom') write(piece.text)
    else if (piece?.kind === 'break') write(lineBreak)
    else if (piece?.kind === 'text') {
      const edges = { before: last, after: firstSign(pieces[at + 1]), isInLink: linkDepth > 0 }
      write(escapeText(piece.text, edges))
    } else if (piece?.kind === 'open') {
      const autolink = renderAutolink(piece, pieces[at + 1], pieces[at + 2])
      if (autolink) {
        write(autolink)
        at += 2
        continue
      }
      if (piece.mark === 'link') linkDepth++
      if (piece.mark === 'emphasis' && touchesMark(pieces, at, piece, last)) underscored.add(piece)
      write(piece.movedBefore)
      if (!piece.isDropped) write(underscored.has(piece) ? '_' : signs[piece.mark].open)
    } else if (piece?.kind === 'close') {
      const { open } = piece
      if (open.mark === 'link') linkDepth--
      if (!open.isDropped) write(underscored.has(open) ? '_' : signs[open.mark].close(open))
      write(open.movedAfter)
    }
  }
  return parts.join('')
}

/** The character that the next piece starts with, as escaping depends on it. */
function firstSign(piece: InlinePiece | undefined): string {
  if (!piece) return ''
  if (piece.kind === 'text' || piece.kind === 'atom') return piece.text[0] ?? ''
  if (piece.kind === 'break') return '\n'
  if (piece.kind === 'open') return piece.movedBefore[0] ?? signs[piece.mark].open[0] ?? ''
  return signs[piece.open.mark].close(piece.open)[0] ?? ''
}

/** `**a***b*` is ambiguous, so an emphasis beside another mark is written with underscores. */
function touchesMark(pieces: InlinePiece[], at: number, open: OpenMark, last: string): boolean {
  const previous = pieces[at - 1]
  const next = pieces[open.closeAt + 1]
  const isAfterMark = previous?.kind === 'close' && last === '*'
  const isBeforeMark = next?.kind === 'open' && next.mark === 'strong' && next.movedBefore === ''
  return isAfterMark || isBeforeMark
}

/** A link whose text is its address. */
function renderAutolink(
  open: OpenMark,
  text?: InlinePiece,
  close?: InlinePiece,
): string | undefined {
  if (open.mark !== 'link' || text?.kind !== 'text' || close?.kind !== 'close') return undefined
  if (text.text !== open.url) return undefined
  return /^[a-z][a-z\d+.-]{1,31}:[^\s<>]*$/i.test(open.url) ? `<${open.url}>` : undefined
}

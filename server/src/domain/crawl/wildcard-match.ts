/**
 * Whether `text` begins with what `pattern` describes, or with `isWhole` is it: `*` stands for any run
 * of characters and everything else for itself. Taking the leftmost place of each piece between two
 * stars never needs a second try, so hostile patterns (`*a*a*a…`) cannot make it backtrack.
 */
export function matchesWildcards(pattern: string, text: string, isWhole: boolean): boolean {
  let star = pattern.indexOf('*')
  if (star < 0) return isWhole ? text === pattern : text.startsWith(pattern)
  if (!text.startsWith(pattern.slice(0, star))) return false
  let at = star
  for (;;) {
    const nextStar = pattern.indexOf('*', star + 1)
    if (nextStar < 0) break
    const piece = pattern.slice(star + 1, nextStar)
    const found = indexOfPiece(text, piece, at)
    if (found < 0) return false
    at = found + piece.length
    star = nextStar
  }
  const last = pattern.slice(star + 1)
  if (!isWhole) return indexOfPiece(text, last, at) >= 0
  return text.length - last.length >= at && text.endsWith(last)
}

/** V8 searches for longer texts in quadratic time where only their middle differs: `aaa…b…aaa`. */
const quickPieceMax = 200

/** Like `indexOf`, in linear time for every text. */
function indexOfPiece(text: string, piece: string, from: number): number {
  if (piece.length <= quickPieceMax) return text.indexOf(piece, from)
  if (piece.length > text.length - from) return -1
  const [sought, searched] = [codesOf(piece), codesOf(text)]
  const overlaps = overlapsOf(sought)
  let matched = 0
  for (let at = from; at < searched.length; at++) {
    while (matched > 0 && searched[at] !== sought[matched]) matched = overlaps[matched - 1] ?? 0
    if (searched[at] === sought[matched]) matched++
    if (matched === sought.length) return at - matched + 1
  }
  return -1
}

/** For each beginning of the piece, how much of its end is a beginning too (Knuth, Morris, Pratt). */
function overlapsOf(piece: Uint16Array): Uint32Array {
  const overlaps = new Uint32Array(piece.length)
  let matched = 0
  for (let at = 1; at < piece.length; at++) {
    while (matched > 0 && piece[at] !== piece[matched]) matched = overlaps[matched - 1] ?? 0
    if (piece[at] === piece[matched]) matched++
    overlaps[at] = matched
  }
  return overlaps
}

/** Characters of a part of a string are slow to look at one by one. */
function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  Buffer.from(codes.buffer).write(text, 'utf16le')
  return codes
}

/** The same pattern without stars that add nothing. */
export const collapseStars = (pattern: string): string =>
  pattern.includes('**') ? pattern.replace(/\*{2,}/g, '*') : pattern

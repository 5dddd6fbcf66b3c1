/**
 * One spelling for each escape: those of unreserved characters (RFC 3986) are decoded, the others get
 * upper-case digits. An escape right after a broken one (`%%37E`, `%4%35`) stays, as decoding it would
 * make a new escape out of the broken one, and the result would depend on how often this is called.
 */
export const normalizeEscapes = (text: string): string =>
  text.includes('%') ? text.replace(escapes, normalizeEscape) : text

const escapes = /%[0-9a-f]{2}/gi
const unreserved = /[\w.~-]/

function normalizeEscape(written: string, at: number, text: string): string {
  const character = String.fromCharCode(Number.parseInt(written.slice(1), 16))
  const isAfterBroken =
    text[at - 1] === '%' || (text[at - 2] === '%' && /[0-9a-f]/i.test(text[at - 1] ?? ''))
  return unreserved.test(character) && !isAfterBroken ? character : written.toUpperCase()
}

/** Escapes what a URL parser escapes in a path, so that a pattern can be compared with paths. */
export const encodePattern = (pattern: string): string =>
  normalizeEscapes(pattern.toWellFormed().replace(neverInPaths, encodeURIComponent))

const neverInPaths = /[^\x21-\x7e]+|["<>^`{}]+/g

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
  if (!unreserved.test(character)) return written.toUpperCase()
  const isAfterBroken =
    text[at - 1] === '%' || (text[at - 2] === '%' && /[0-9a-f]/i.test(text[at - 1] ?? ''))
  return isAfterBroken ? written.toUpperCase() : character
}

/** A pattern in the spelling of paths, so that it can be compared with them. */
export const encodePattern = (pattern: string): string => escapePattern(normalizeEscapes(pattern))

/**
 * Escapes what a URL parser escapes in a path. Nearly all patterns have nothing of that. Escapes are normalized
 * before, as those that are written here need not be.
 */
export const escapePattern = (pattern: string): string =>
  /^[!#-;=?-\]_a-z|~]*$/.test(pattern)
    ? pattern
    : pattern.toWellFormed().replace(neverInPaths, encodeURIComponent)

const neverInPaths = /[^\x21-\x7e]+|["<>^`{}]+/g

/**
 * A path with its query, or a pattern for one, in the spelling in which the two are compared. In a query
 * `:` and `/` mean the same escaped or not, as the example of RFC 9309, 2.2.2 has it.
 */
export function comparablePath(path: string): string {
  const normal = normalizeEscapes(path)
  const query = normal.indexOf('?')
  if (query < 0 || !normal.includes('%', query)) return normal
  return normal.slice(0, query) + normal.slice(query).replace(/%3A/g, ':').replace(/%2F/g, '/')
}

/**
 * How many seconds a `Retry-After` header asks to wait, from its two forms, a number of seconds or a
 * date; undefined when it says nothing that can be followed.
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text)
  // Dates in other forms than RFC 9110 names are too easily misread.
  if (!/^[A-Z][a-z]{2},? /.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}

/** The seconds of a `Retry-After` header, which has a number or a date; undefined if it is neither. */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  if (/^\d+$/.test(text)) return Number(text)
  // Dates in forms that RFC 9110 does not define are too easily misread.
  if (!/^[A-Z][a-z]{2},? /.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}

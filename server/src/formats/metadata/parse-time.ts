/**
 * The time in ISO 8601, where the text says it without a need to guess: ISO 8601 itself, or the dates
 * of RFC 822 that feeds and headers have. With a zone the result is UTC; without one it stays a local
 * time or a bare day. Anything else (`03/04/2021`, `yesterday`) is undefined.
 */
export function parseTime(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed.length > 64) return undefined
  return fromIso(trimmed) ?? fromRfc822(trimmed)
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}(?::?\d{2})?|UTC|GMT)?)?$/i

function fromIso(text: string): string | undefined {
  const match = iso.exec(text) ?? compact.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour, minute = '00', second = '00', part, zone] = match
  const date = `${year}-${month}-${day}`
  if (!isRealTime(date, hour ?? '00', minute, second)) return undefined
  if (hour === undefined) return date
  const fraction = part ? `.${part.slice(0, 3).padEnd(3, '0')}` : ''
  const local = `${date}T${hour}:${minute}:${second}${fraction}`
  return zone === undefined ? local : toUtc(local, offsetOf(zone))
}

/** The basic format, such as `20210304T101112Z`; a bare run of digits could be a number. */
const compact = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{4})?$/

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const rfc822 =
  /^(?:[A-Z][a-z]{2,8},?\s+)?(\d{1,2})[\s-]([A-Z][a-z]{2})[a-z]*[\s-](\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s*([+-]\d{4}|[A-Z]{1,4})$/
/** RFC 822 gives these names a fixed meaning; other names of zones are ambiguous. */
const zones: Record<string, string> = {
  GMT: '+0000',
  UTC: '+0000',
  UT: '+0000',
  Z: '+0000',
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
}

function fromRfc822(text: string): string | undefined {
  const match = rfc822.exec(text)
  if (!match) return undefined
  const [, day = '', name = '', year = '', hour = '', minute = '', second = '00', zone = ''] = match
  const offset = /^[+-]/.test(zone) ? zone : zones[zone]
  const month = String(months.indexOf(name) + 1).padStart(2, '0')
  const date = `${year}-${month}-${day.padStart(2, '0')}`
  if (offset === undefined || !isRealTime(date, hour, minute, second)) return undefined
  return toUtc(`${date}T${hour}:${minute}:${second}`, offsetOf(offset))
}

/** `Date` would turn 30 February into 2 March. */
function isRealTime(date: string, hour: string, minute: string, second: string): boolean {
  const time = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date)) return false
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61
}

/** In the form that `Date` reads: `Z` or `+hh:mm`. */
function offsetOf(zone: string): string {
  const [, sign, hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? []
  return sign ? `${sign}${hours}:${minutes}` : 'Z'
}

function toUtc(local: string, offset: string): string | undefined {
  // A leap second, `:60`, is the second after it.
  const time = new Date(`${local.replace(/:60\b/, ':59')}${offset}`)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

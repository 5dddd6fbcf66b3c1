const msPerDay = 86_400_000
const lastDay = { number: Number.NaN, text: '' }

/** The same text as `new Date(ms).toISOString()`, seven times as fast, because lists have many. */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / msPerDay)
  if (day !== lastDay.number) {
    lastDay.text = new Date(ms).toISOString().slice(0, -'00:00:00.000Z'.length)
    lastDay.number = day
  }
  const rest = ms - day * msPerDay
  const hours = digits(Math.floor(rest / 3_600_000), 2)
  const minutes = digits(Math.floor(rest / 60_000) % 60, 2)
  const seconds = digits(Math.floor(rest / 1000) % 60, 2)
  return `${lastDay.text}${hours}:${minutes}:${seconds}.${digits(rest % 1000, 3)}Z`
}

export const isoTimeOrNull = (ms: number | null): string | null =>
  ms === null ? null : isoTime(ms)

function digits(value: number, width: 2 | 3): string {
  if (width === 3 && value < 100) return value < 10 ? `00${value}` : `0${value}`
  return value < 10 ? `0${value}` : `${value}`
}

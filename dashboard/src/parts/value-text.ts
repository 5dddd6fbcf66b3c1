const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
// `hour12: false` would write the hour after midnight as 24.
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export const countText = (count: number): string =>
  count < 10_000 ? whole.format(count) : short.format(count)

/** `–` stands for a share of nothing. */
export const shareText = (part: number, all: number): string => {
  if (all === 0) return '–'
  const percent = (part / all) * 100
  // 99.96 % must not read as if nothing had failed.
  return `${percent > 99.9 && percent < 100 ? '99.9' : trimmed(percent)} %`
}

export const durationText = (ms: number | null): string => {
  if (ms === null) return '–'
  if (ms < 1_000) return `${whole.format(ms)} ms`
  if (ms < 60_000) return `${trimmed(ms / 1_000)} s`
  if (ms < 3_600_000) return `${trimmed(ms / 60_000)} min`
  return `${trimmed(ms / 3_600_000)} h`
}

export const bytesText = (bytes: number): string => {
  if (bytes < 1e6) return `${trimmed(bytes / 1e3)} kB`
  return bytes < 1e9 ? `${trimmed(bytes / 1e6)} MB` : `${trimmed(bytes / 1e9)} GB`
}

/** In the zone of the reader. */
export const timeText = (time: string | number): string => clock.format(new Date(time))

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '')

const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Day and time to the second, in the zone of the reader; `–` stands for never. */
export const momentText = (time: string | number | null): string =>
  time === null ? '–' : moment.format(new Date(time))

const inList = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** The same without the year, where there are many below each other. */
export const shortMomentText = (time: string): string => inList.format(new Date(time))

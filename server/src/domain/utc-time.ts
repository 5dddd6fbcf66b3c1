export const msPerDay = 86_400_000

/** The number of the UTC day that has this moment, counted from 1970-01-01. */
export const utcDayOf = (ms: number): number => Math.floor(ms / msPerDay)

export const utcDayStartMs = (utcDay: number): number => utcDay * msPerDay

const msPerMinute = 60_000

/** The number of the minute that has this moment, counted from the start of 1970. */
export const utcMinuteOf = (ms: number): number => Math.floor(ms / msPerMinute)

export const utcMinuteStartMs = (utcMinute: number): number => utcMinute * msPerMinute

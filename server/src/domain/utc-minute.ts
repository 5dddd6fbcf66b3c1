const msPerMinute = 60_000

/** The number of the minute that has this moment, counted from the start of 1970. */
export const utcMinuteOf = (ms: number): number => Math.floor(ms / msPerMinute)

export const utcMinuteStartMs = (utcMinute: number): number => utcMinute * msPerMinute

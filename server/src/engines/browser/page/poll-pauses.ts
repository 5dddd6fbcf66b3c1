export const firstPollPauseMs = 10
const pauseMsMax = 100

/** Exponential backoff between polls. */
export const nextPollPauseMs = (ms: number): number => Math.min(ms * 2, pauseMsMax)

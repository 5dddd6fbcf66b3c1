/** Between the first two looks at a page. */
export const firstPollPauseMs = 10
const pauseMsMax = 100

/** What is not there soon is not looked for as often. */
export const nextPollPauseMs = (ms: number): number => Math.min(ms * 2, pauseMsMax)

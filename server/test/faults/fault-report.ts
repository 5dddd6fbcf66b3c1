/** What one kind of fault came to: a table for people, and whether the promise held. */
export interface FaultReport {
  title: string
  text: string
  isKept: boolean
}

export interface FaultRun {
  seed: number
  /** As long as the promise says; otherwise a tenth of it. */
  isLong: boolean
  say(line: string): void
}

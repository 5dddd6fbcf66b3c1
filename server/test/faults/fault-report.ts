/** The result of one kind of fault: a table for people, and whether the promise held. */
export interface FaultReport {
  title: string
  text: string
  isKept: boolean
}

export interface FaultRun {
  seed: number
  /** Runs for as long as the promise says; otherwise for a tenth of it. */
  isLong: boolean
  say(line: string): void
}

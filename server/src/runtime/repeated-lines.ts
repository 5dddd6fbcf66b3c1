import type { Log } from './log.ts'

const linesMax = 5
const periodMs = 60_000

/**
 * Logs warnings that may come in hundreds: the first few of a minute one by one, the others as one line at
 * its end, which has the words of the last of them.
 */
export class RepeatedLines implements Disposable {
  readonly #log: Pick<Log, 'warn'>
  #written = 0
  #heldBack = 0
  #last = ''
  #timer: NodeJS.Timeout | undefined

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  warn(facts: object, message: string): void {
    this.#timer ??= setTimeout(() => this.#endPeriod(), periodMs).unref()
    if (this.#written < linesMax) {
      this.#written += 1
      this.#log.warn(facts, message)
    } else {
      this.#heldBack += 1
      this.#last = message
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#endPeriod()
  }

  #endPeriod(): void {
    const times = this.#heldBack
    this.#timer = undefined
    this.#written = 0
    this.#heldBack = 0
    if (times > 0) {
      const seconds = periodMs / 1_000
      this.#log.warn({ times }, `${times} more times within ${seconds} s: ${this.#last}`)
    }
  }
}

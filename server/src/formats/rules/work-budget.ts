import { Failure } from '../../domain/failure.ts'

/** One to three seconds of selecting on one core. */
const stepsMax = 50_000_000
/** Walking to the next node of the document takes about as long as this many looks at a known one. */
export const walkSteps = 5
/** Where the steps were weighed wrongly for a page, the clock ends the work. */
const msMax = 10_000
const stepsBetweenChecks = 10_000
/** As JSON the result may take twice as much. */
const charactersMax = 16 * 2 ** 20

/**
 * How much all rules of a request may do together. Some selectors take quadratic or exponential time
 * on a hostile page; this ends them before the thread's time limit ends the thread.
 */
export type WorkBudget = ReturnType<typeof createWorkBudget>

export function createWorkBudget(limits = { stepsMax, charactersMax }) {
  let stepsLeft = limits.stepsMax
  let stepsToCheck = stepsBetweenChecks
  const endsAtMs = performance.now() + msMax
  let charactersLeft = limits.charactersMax
  return {
    /** Counts nodes that were looked at. */
    spend(steps: number) {
      stepsLeft -= steps
      stepsToCheck -= steps
      if (stepsLeft < 0) throw tooMuchWork()
      if (stepsToCheck >= 0) return
      stepsToCheck = stepsBetweenChecks
      if (performance.now() > endsAtMs) throw tooMuchWork()
    },
    /** Counts characters of the result. */
    keep(characters: number) {
      charactersLeft -= characters
      if (charactersLeft < 0) throw tooMuchText()
    },
  }
}

const tooMuchWork = (): Failure =>
  new Failure(
    'CONTENT_TOO_COMPLEX',
    'The extract rules take too long on this page; make them simpler.',
  )

const tooMuchText = (): Failure =>
  new Failure('RESPONSE_TOO_LARGE', 'The extract rules extract more than 16 MiB from this page.')

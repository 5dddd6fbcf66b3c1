import { setTimeout as pause } from 'node:timers/promises'
import type { StepReport } from '../../../domain/scrape/page.ts'
import type { ActionName, ActionNamed } from '../../../domain/scrape/scenario.ts'
import { withDeadline } from '../../../runtime/deadline.ts'
import { CdpError, CdpGone } from '../cdp/cdp-connection.ts'
import type { LivePage } from '../page/live-page.ts'

/** One action under way. */
export interface Step {
  readonly page: LivePage
  /** How long it waits for what it needs: an element, a navigation, a promise. */
  readonly patienceMs: number
  /** What it waits for right now; told if time runs out meanwhile. */
  obstacle: string | undefined
}

export type StepResult = Pick<StepReport, 'value' | 'items'>

export type Perform<Name extends ActionName> = (
  step: Step,
  action: ActionNamed<Name>,
) => Promise<StepResult>

/** Why an action could not be done, in words for the caller. */
export class ActionProblem extends Error {}

/** The browser is there and does not do it, mostly because the document it was about is not. */
export const isRefusal = (error: unknown): error is CdpError =>
  error instanceof CdpError && !(error instanceof CdpGone)

const optionalMsMax = 5_000

/** Whoever may fail shall not use up the time of those that follow; the others have all there is. */
export const patienceOf = (facts: { leftMs: number; isOptional: boolean }): number =>
  facts.isOptional ? Math.min(optionalMsMax, facts.leftMs / 2) : Number.POSITIVE_INFINITY

/** Waits as long as the step's patience allows; the obstacle is what is said when it is at its end. */
export async function patiently<Value>(
  step: Step,
  work: Promise<Value>,
  obstacle: string,
): Promise<Value> {
  step.obstacle = obstacle
  const impatience = () => new ActionProblem(obstacle)
  try {
    return await step.page.end.during(withDeadline(work, { ms: step.patienceMs, late: impatience }))
  } finally {
    step.obstacle = undefined
  }
}

/** Lets time pass, as long as the visit lasts. */
export const rest = ({ end }: Pick<LivePage, 'end'>, ms: number): Promise<void> =>
  end.during(pause(ms, undefined, { ref: false }))

import { setTimeout as pause } from 'node:timers/promises'
import type { StepReport } from '../../../domain/scrape/page.ts'
import type { ActionName, ActionNamed } from '../../../domain/scrape/scenario.ts'
import { withDeadline } from '../../../runtime/deadline.ts'
import { CdpClosed, CdpError } from '../cdp/cdp-connection.ts'
import type { LivePage } from '../page/live-page.ts'
import type { MainDocument } from '../page/main-document-tracker.ts'

export interface Step {
  readonly page: LivePage
  /** How long it waits for an element, a navigation or a promise. */
  readonly timeoutMs: number
  /** What it waits for right now; reported if the visit times out meanwhile. */
  obstacle: string | undefined
}

export type StepResult = Pick<StepReport, 'value' | 'items'>

export type Perform<Name extends ActionName> = (
  step: Step,
  action: ActionNamed<Name>,
) => Promise<StepResult>

/** Why an action failed, as part of a sentence for the caller. */
export class ActionProblem extends Error {}

/** The browser rejected the command, mostly because its document has been left. */
export const isRejected = (error: unknown): error is CdpError =>
  error instanceof CdpError && !(error instanceof CdpClosed)

const optionalMsMax = 5_000

/** An optional action may fail, so it must not use up the time of the actions after it. */
export const timeoutOf = (facts: { leftMs: number; isOptional: boolean }): number =>
  facts.isOptional ? Math.min(optionalMsMax, facts.leftMs / 2) : Number.POSITIVE_INFINITY

/** Waits at most for the step's timeout and then throws the obstacle as the problem. */
export async function withinStepTimeout<Value>(
  step: Step,
  work: Promise<Value>,
  obstacle: string,
): Promise<Value> {
  step.obstacle = obstacle
  const timeout = () => new ActionProblem(obstacle)
  try {
    return await step.page.deadline.during(
      withDeadline(work, { ms: step.timeoutMs, late: timeout }),
    )
  } finally {
    step.obstacle = undefined
  }
}

/** Waits so long, or rejects when the visit ends first. */
export const sleep = ({ deadline }: Pick<LivePage, 'deadline'>, ms: number): Promise<void> =>
  deadline.during(pause(ms, undefined, { ref: false }))

/** Whether actions can be performed on the document. */
export const isReady = ({ isDomLoaded, isLoaded }: MainDocument): boolean => isDomLoaded || isLoaded

/**
 * The browser reports that a click is done, the page that it navigates, and either may come first. What
 * the page has reported by then comes before its answer.
 */
export async function hearFromPage(step: Step): Promise<void> {
  const answer = step.page.session.send('Runtime.evaluate', { expression: '0' })
  await withinStepTimeout(
    step,
    answer.catch(() => undefined),
    'the page did not answer',
  )
}

/** After an action that navigates, the next one waits for the new page. */
export const waitForNextPage = (step: Step): Promise<void> =>
  withinStepTimeout(
    step,
    step.page.deadline.waitUntil(() => step.page.tracker.isSettled(isReady)),
    'the next page had not loaded',
  )

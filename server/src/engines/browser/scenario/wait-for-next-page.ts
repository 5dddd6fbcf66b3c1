import type { MainDocument } from '../page/main-document-tracker.ts'
import { type Step, withinStepTimeout } from './step.ts'

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

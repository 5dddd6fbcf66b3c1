import type { MainDocument } from '../page/main-document-tracker.ts'
import { type Step, withinStepTimeout } from './step.ts'

/** Whether actions can be performed on the document. */
export const isReady = ({ isDomLoaded, isLoaded }: MainDocument): boolean => isDomLoaded || isLoaded

/** After a click that navigates, the next action waits for the new page. */
export const waitForNextPage = (step: Step): Promise<void> =>
  withinStepTimeout(
    step,
    step.page.deadline.waitUntil(() => step.page.tracker.isSettled(isReady)),
    'the next page had not loaded',
  )

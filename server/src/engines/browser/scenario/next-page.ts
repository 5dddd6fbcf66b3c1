import type { MainDocument } from '../page/main-document-tracker.ts'
import { patiently, type Step } from './step.ts'

/** Whether something can be done on it. */
export const isReady = ({ isDomLoaded, isLoaded }: MainDocument): boolean => isDomLoaded || isLoaded

/** After a click that leads elsewhere nothing is done on the page that is left. */
export const untilReady = (step: Step): Promise<void> =>
  patiently(
    step,
    step.page.end.until(() => step.page.watch.isSettled(isReady)),
    'the next page was not there yet',
  )

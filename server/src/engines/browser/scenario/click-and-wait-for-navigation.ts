import { click } from './mouse.ts'
import { reachElement } from './reach-element.ts'
import { ActionProblem, isReady, type Perform, withinStepTimeout } from './step.ts'

/** A same-document navigation (`pushState`, fragments) counts as a navigation. */
export const clickAndWaitForNavigation: Perform<'click_and_wait_for_navigation'> = async (
  step,
  action,
) => {
  const { session, deadline, tracker } = step.page
  const point = await reachElement(step, action.selector, { mustBeEnabled: true })
  const { newest, navigations, sameDocumentNavigations } = tracker
  let hasOpenedWindow = false
  session.on('Page.windowOpen', () => {
    hasOpenedWindow = true
    deadline.recheck()
  })
  await click(step.page, point, action.options)
  const hasMoved = () => tracker.sameDocumentNavigations > sameDocumentNavigations
  const hasArrived = () => {
    if (tracker.navigations > navigations) return tracker.isSettled(({ isLoaded }) => isLoaded)
    if (hasMoved()) return tracker.isSettled(isReady)
    return hasOpenedWindow
  }
  await withinStepTimeout(step, deadline.waitUntil(hasArrived), 'no navigation was completed')
  if (tracker.newest !== newest || hasMoved()) return {}
  throw new ActionProblem(
    hasOpenedWindow
      ? 'the click opened another window, and those are not followed'
      : 'the click led to something that is not a page',
  )
}

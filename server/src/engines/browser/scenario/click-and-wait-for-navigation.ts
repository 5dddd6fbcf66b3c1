import { click } from './mouse.ts'
import { isReady } from './next-page.ts'
import { reachElement } from './reach-element.ts'
import { ActionProblem, type Perform, patiently } from './step.ts'

/** Also a page that only changes its own address, as many do, has gone somewhere. */
export const clickAndWaitForNavigation: Perform<'click_and_wait_for_navigation'> = async (
  step,
  action,
) => {
  const { session, end, watch } = step.page
  const point = await reachElement(step, action.selector, { isUsed: true })
  const before = { newest: watch.newest, navigations: watch.navigations, moves: watch.moves }
  let hasOpenedWindow = false
  session.on('Page.windowOpen', () => {
    hasOpenedWindow = true
    end.changed()
  })
  await click(step.page, point, action.options)
  const hasArrived = () => {
    if (watch.navigations > before.navigations) return watch.isSettled(({ isLoaded }) => isLoaded)
    if (watch.moves > before.moves) return watch.isSettled(isReady)
    return hasOpenedWindow
  }
  await patiently(step, end.until(hasArrived), 'no navigation came to its end')
  if (watch.newest !== before.newest || watch.moves > before.moves) return {}
  throw new ActionProblem(
    hasOpenedWindow
      ? 'it opened another window, and those are not followed'
      : 'what it led to is not a page',
  )
}

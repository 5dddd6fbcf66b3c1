import type { ActionName, ScenarioAction } from '../../../domain/scrape/scenario.ts'
import { clickAndWaitForNavigation } from './click-and-wait-for-navigation.ts'
import { evaluate } from './evaluate.ts'
import { clear, fill, select } from './fill.ts'
import { press, type } from './keyboard.ts'
import { click, hover } from './mouse-actions.ts'
import { screenshot } from './screenshot.ts'
import { infiniteScroll, scroll, scrollOnList } from './scroll.ts'
import type { Perform, Step, StepResult } from './step.ts'
import { wait, waitFor } from './wait-for.ts'

const actions: { [Name in ActionName]: Perform<Name> } = {
  click,
  click_and_wait_for_navigation: clickAndWaitForNavigation,
  wait,
  waitFor,
  wait_for: waitFor,
  scroll_x: scroll,
  scroll_y: scroll,
  scroll_on_list_and_get_items: scrollOnList,
  type,
  evaluate,
  hover,
  clear,
  fill,
  select,
  press,
  infinite_scroll: infiniteScroll,
  screenshot,
}

/** The cast is safe: the table's type pairs each name with a function for that action. */
export const perform = (step: Step, action: ScenarioAction): Promise<StepResult> =>
  (actions[action.action] as (step: Step, action: ScenarioAction) => Promise<StepResult>)(
    step,
    action,
  )

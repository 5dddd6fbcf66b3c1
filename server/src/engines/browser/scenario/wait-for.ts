import { lookFor, shown } from './look.ts'
import type { Perform } from './step.ts'

/** `hidden` counts more than `visible`; a timeout of 0 is none, as puppeteer has it. */
export const waitFor: Perform<'waitFor' | 'wait_for'> = async (step, { selector, options }) => {
  const { visible, hidden, timeout } = options
  const state = hidden ? 'hidden' : visible ? 'visible' : 'there'
  await lookFor<true>(step, inState(selector, state), timeout || step.patienceMs)
  return {}
}

type State = 'there' | 'visible' | 'hidden'

const conditions: Record<State, string> = {
  there: 'element !== null',
  visible: 'isVisible(element)',
  hidden: '!isVisible(element)',
}

const obstacles: Record<State, string> = {
  there: 'nothing matches ',
  visible: 'nothing is visible that matches ',
  hidden: 'there still is ',
}

const inState = (selector: string, state: State): string => `(() => {
  const name = ${JSON.stringify(shown(selector))}
  const isVisible = (element) => {
    if (!element || getComputedStyle(element).visibility !== 'visible') return false
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0
  }
  try {
    const element = document.querySelector(${JSON.stringify(selector)})
    return ${conditions[state]} ? { found: true } : { obstacle: '${obstacles[state]}' + name }
  } catch {
    return { obstacle: name + ' is no CSS selector', isFinal: true }
  }
})()`

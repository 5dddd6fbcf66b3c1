import { pollPage, quoteSelector } from './poll-page.ts'
import { type Perform, sleep } from './step.ts'

/** `hidden` wins over `visible`; a timeout of 0 means no timeout, as in Puppeteer. */
export const waitFor: Perform<'waitFor' | 'wait_for'> = async (step, { selector, options }) => {
  const { visible, hidden, timeout } = options
  const state = hidden ? 'hidden' : visible ? 'visible' : 'present'
  await pollPage<true>(step, inState(selector, state), timeout || step.timeoutMs)
  return {}
}

type State = 'present' | 'visible' | 'hidden'

const conditions: Record<State, string> = {
  present: 'element !== null',
  visible: 'isVisible(element)',
  hidden: '!isVisible(element)',
}

const obstacles: Record<State, string> = {
  present: 'nothing matches ',
  visible: 'nothing is visible that matches ',
  hidden: 'something visible still matches ',
}

const inState = (selector: string, state: State): string => `(() => {
  const name = ${JSON.stringify(quoteSelector(selector))}
  const isVisible = (element) => {
    if (!element || getComputedStyle(element).visibility !== 'visible') return false
    const { width, height } = element.getBoundingClientRect()
    return width > 0 && height > 0
  }
  try {
    const element = document.querySelector(${JSON.stringify(selector)})
    return ${conditions[state]} ? { found: true } : { obstacle: '${obstacles[state]}' + name }
  } catch {
    return { obstacle: name + ' is not a valid CSS selector', isFinal: true }
  }
})()`

export const wait: Perform<'wait'> = async ({ page }, { value }) => {
  await sleep(page, value)
  return {}
}

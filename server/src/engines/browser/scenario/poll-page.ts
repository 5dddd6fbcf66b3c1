import { CdpError } from '../cdp/cdp-connection.ts'
import { firstPollPauseMs, nextPollPauseMs } from '../page/poll-pauses.ts'
import { ActionProblem, isRejected, type Step, sleep } from './step.ts'

/** What a script found in the page, or what is still in the way. */
type PollResult<Value> = { found: Value } | Obstacle

interface Obstacle {
  obstacle: string
  /** Whether polling again is pointless. */
  isFinal?: boolean
}

/** Polls until the script finds something: that works across navigations and with scripts off. */
export async function pollPage<Value>(
  step: Step,
  script: string,
  timeoutMs = step.timeoutMs,
): Promise<Value> {
  const { deadline, world } = step.page
  const untilMs = performance.now() + timeoutMs
  for (let pauseMs = firstPollPauseMs; ; pauseMs = nextPollPauseMs(pauseMs)) {
    const result = await deadline.during(
      world.evaluate<PollResult<Value>>(script).catch(obstacleOf),
    )
    if ('found' in result) {
      step.obstacle = undefined
      return result.found
    }
    step.obstacle = result.obstacle
    if (result.isFinal || performance.now() > untilMs) throw new ActionProblem(result.obstacle)
    await sleep(step.page, pauseMs)
  }
}

/** A rejected command means that the page is navigating, so polling goes on. */
function obstacleOf(error: unknown): Obstacle {
  if (isRejected(error)) return { obstacle: 'the page was navigating' }
  if (error instanceof CdpError) throw error
  // Elements that are not HTML, as SVG, lack some methods.
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return { obstacle: `the element does not support it: ${reason}`, isFinal: true }
}

/**
 * A script for the first element that matches the selector. Its body has the variables `element`
 * and `name` and returns a `PollResult`. Elements in frames and shadow roots are not found.
 */
export const elementScript = (selector: string, body: string): string => `(() => {
  const name = ${JSON.stringify(quoteSelector(selector))}
  let element
  try {
    element = document.querySelector(${JSON.stringify(selector)})
  } catch {
    return { obstacle: name + ' is not a valid CSS selector', isFinal: true }
  }
  if (!element) return { obstacle: 'nothing matches ' + name }
  ${body}
})()`

const shownCharactersMax = 200

/** Quotes and shortens a selector for messages. */
export const quoteSelector = (selector: string): string =>
  JSON.stringify(
    selector.length > shownCharactersMax ? `${selector.slice(0, shownCharactersMax)}…` : selector,
  )

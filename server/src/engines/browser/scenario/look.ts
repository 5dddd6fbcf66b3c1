import { CdpError } from '../cdp/cdp-connection.ts'
import { firstPollPauseMs, nextPollPauseMs } from '../page/poll-pauses.ts'
import { ActionProblem, isRefusal, rest, type Step } from './step.ts'

/** What a look at the page came to: something, or why there is nothing yet. */
type Sight<Value> = { found: Value } | Obstacle

interface Obstacle {
  obstacle: string
  /** Looking again would be of no use. */
  isFinal?: boolean
}

/**
 * Looks until something is found. Again and again, so that it works across documents and where the
 * page's scripts are off.
 */
export async function lookFor<Value>(
  step: Step,
  script: string,
  patienceMs = step.patienceMs,
): Promise<Value> {
  const { end, world } = step.page
  const untilMs = performance.now() + patienceMs
  for (let pauseMs = firstPollPauseMs; ; pauseMs = nextPollPauseMs(pauseMs)) {
    const sight = await end.during(world.evaluate<Sight<Value>>(script).catch(notThere))
    if ('found' in sight) {
      step.obstacle = undefined
      return sight.found
    }
    step.obstacle = sight.obstacle
    if (sight.isFinal || performance.now() > untilMs) throw new ActionProblem(sight.obstacle)
    await rest(step.page, pauseMs)
  }
}

/** A document that goes away while it is looked at makes room for another. */
function notThere(error: unknown): Obstacle {
  if (isRefusal(error)) return { obstacle: 'the page was on its way to another' }
  if (error instanceof CdpError) throw error
  // Not every element can do what those of HTML can.
  const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
  return { obstacle: `it cannot be done here: ${reason}`, isFinal: true }
}

/**
 * A look at the first element that the selector matches. The body is JavaScript that has it as
 * `element` and its `name`, and returns a sight. Frames and shadow roots are documents of their own.
 */
export const atElement = (selector: string, body: string): string => `(() => {
  const name = ${JSON.stringify(shown(selector))}
  let element
  try {
    element = document.querySelector(${JSON.stringify(selector)})
  } catch {
    return { obstacle: name + ' is no CSS selector', isFinal: true }
  }
  if (!element) return { obstacle: 'nothing matches ' + name }
  ${body}
})()`

const shownCharactersMax = 200

/** As it is named in messages. */
export const shown = (selector: string): string =>
  JSON.stringify(
    selector.length > shownCharactersMax ? `${selector.slice(0, shownCharactersMax)}…` : selector,
  )

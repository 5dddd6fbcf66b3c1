import { ActionProblem, type Perform, type StepResult, withinStepTimeout } from './step.ts'

const valueBytesMax = 2 ** 20
const messageCharactersMax = 1_000

/** Runs in the page's own world, as the caller may want the page's variables. */
export const evaluate: Perform<'evaluate'> = async (step, { value }) => {
  const evaluating = step.page.session.send('Runtime.evaluate', {
    expression: boundedScript(value),
    awaitPromise: true,
    returnByValue: true,
  })
  const { result, exceptionDetails } = await withinStepTimeout(
    step,
    evaluating,
    'the script did not finish',
  )
  if (exceptionDetails) throw new ActionProblem('the page prevents scripts from running')
  return resultOf(result.value)
}

/**
 * Wraps the script in `eval` to measure its result inside the page: CDP would send a result of 500
 * MB as a whole.
 */
const boundedScript = (script: string): string => `(async () => {
  try {
    const json = JSON.stringify(await (0, eval)(${JSON.stringify(script)})) ?? null
    return json?.length > ${valueBytesMax} ? {} : { json }
  } catch (error) {
    return { thrown: String(error).slice(0, ${messageCharactersMax}) }
  }
})()`

/** The result is not trusted: the page may have replaced `eval` or `JSON`. */
function resultOf(evaluated: unknown): StepResult {
  const { json, thrown }: Record<string, unknown> = Object(evaluated)
  if (typeof thrown === 'string') throw new ActionProblem(`the script threw ${thrown}`)
  if (json === null) return {}
  if (typeof json !== 'string' || Buffer.byteLength(json) > valueBytesMax) {
    throw new ActionProblem(`the script's value has more than ${valueBytesMax} bytes as JSON`)
  }
  try {
    return { value: JSON.parse(json) }
  } catch {
    throw new ActionProblem("the script's value is not JSON: the page has replaced JSON.stringify")
  }
}

import { ActionProblem, type Perform, patiently, type StepResult } from './step.ts'

const valueBytesMax = 2 ** 20
const messageCharactersMax = 1_000

/** In the page's own world, whose variables the caller may want. */
export const evaluate: Perform<'evaluate'> = async (step, { value }) => {
  const evaluating = step.page.session.send('Runtime.evaluate', {
    expression: bounded(value),
    awaitPromise: true,
    returnByValue: true,
  })
  const { result, exceptionDetails } = await patiently(
    step,
    evaluating,
    'the script had not come to its end',
  )
  if (exceptionDetails) throw new ActionProblem('the page keeps scripts from their work')
  return resultOf(result.value)
}

/**
 * The script is a text for the page's `eval`, so that whatever it comes to is measured before it
 * leaves the page: a text of 500 MB would have to be taken as a whole.
 */
const bounded = (script: string): string => `(async () => {
  try {
    const json = JSON.stringify(await (0, eval)(${JSON.stringify(script)})) ?? null
    return json?.length > ${valueBytesMax} ? {} : { json }
  } catch (error) {
    return { thrown: String(error).slice(0, ${messageCharactersMax}) }
  }
})()`

/** It was made in the page, which may have an `eval` and a `JSON` of its own. */
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
    throw new ActionProblem("the script's value is no JSON: the page has changed what makes it")
  }
}

import { Failure } from '../../../domain/failure.ts'
import type { StepReport } from '../../../domain/scrape/page.ts'
import type { ScenarioAction } from '../../../domain/scrape/scenario.ts'
import type { LivePage } from '../page/live-page.ts'
import { perform } from './action-table.ts'
import { untilReady } from './next-page.ts'
import { ActionProblem, isRefusal, patienceOf, rest, type Step, type StepResult } from './step.ts'

const resultBytesMax = 32 * 2 ** 20

/** Does one action after the other and says what each came to. */
export async function runScenario(
  page: LivePage,
  actions: readonly ScenarioAction[],
): Promise<StepReport[]> {
  // Pages beside each other would take the focus from one another.
  page.session.post('Emulation.setFocusEmulationEnabled', { enabled: true })
  const reports: StepReport[] = []
  let bytes = 0
  for (const [index, action] of actions.entries()) {
    const isRoomFor = (result: StepResult) => {
      bytes += Buffer.byteLength(JSON.stringify(result))
      return bytes <= resultBytesMax
    }
    reports.push(await runStep(page, { index, action, isRoomFor }))
  }
  return reports
}

interface Order {
  index: number
  action: ScenarioAction
  isRoomFor(result: StepResult): boolean
}

async function runStep(page: LivePage, order: Order): Promise<StepReport> {
  const { end, watch } = page
  const { index, action, isRoomFor } = order
  const { optional: isOptional } = action.options
  const step: Step = {
    page,
    patienceMs: patienceOf({ leftMs: end.leftMs, isOptional }),
    obstacle: undefined,
  }
  const failure = (problem: string) =>
    new Failure('ACTION_FAILED', `Action ${index} (${action.action}) failed: ${problem}.`)
  const startedAtMs = performance.now()
  const report = (ok: boolean, outcome: StepResult & { error?: string }): StepReport => ({
    action: action.action,
    ok,
    durationMs: Math.round(performance.now() - startedAtMs),
    ...outcome,
  })
  using _ = end.ifLate(() =>
    failure(step.obstacle ? `time was up, and ${step.obstacle}` : 'time was up'),
  )
  watch.countAfresh()
  try {
    if (action.action !== 'wait') await untilReady(step)
    const result = await end.during(perform(step, action))
    if (!isRoomFor(result)) {
      throw new ActionProblem(`all results together have more than ${resultBytesMax} bytes`)
    }
    return report(true, result)
  } catch (error) {
    const problem = await problemOf(page, error)
    if (!isOptional) throw failure(problem)
    return report(false, { error: problem })
  }
}

// A page that breaks refuses first and says why then.
const reasonMsMax = 50

/** Throws what has nothing to do with the action. */
async function problemOf(page: LivePage, error: unknown): Promise<string> {
  if (error instanceof ActionProblem) return error.message
  if (error instanceof Failure && error.code === 'SCREENSHOT_FAILED') return unfinished(error)
  if (!isRefusal(error)) throw error
  await rest(page, reasonMsMax)
  return /context|navigated/i.test(error.message)
    ? 'the page went on to another meanwhile'
    : `the browser refused: ${error.message}`
}

/** What is a sentence there is a part of one here. */
const unfinished = ({ message }: Failure): string => message.replace(/\.$/, '')

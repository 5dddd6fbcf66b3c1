import { Failure } from '../../../domain/failure.ts'
import type { StepReport } from '../../../domain/scrape/page.ts'
import type { ScenarioAction } from '../../../domain/scrape/scenario.ts'
import type { LivePage } from '../page/live-page.ts'
import { perform } from './action-table.ts'
import {
  ActionProblem,
  hearFromPage,
  isRejected,
  type Step,
  type StepResult,
  sleep,
  timeoutOf,
  waitForNextPage,
} from './step.ts'

const resultBytesMax = 32 * 2 ** 20

/** Performs the actions one after the other and reports the result of each. */
export async function runScenario(
  page: LivePage,
  actions: readonly ScenarioAction[],
): Promise<StepReport[]> {
  // Without it, concurrent pages would take the focus from each other.
  page.session.post('Emulation.setFocusEmulationEnabled', { enabled: true })
  const reports: StepReport[] = []
  let bytes = 0
  for (const [index, action] of actions.entries()) {
    const fitsLimit = (result: StepResult) => {
      bytes += Buffer.byteLength(JSON.stringify(result))
      return bytes <= resultBytesMax
    }
    reports.push(await runStep(page, { index, action, fitsLimit }))
  }
  return reports
}

interface StepOrder {
  index: number
  action: ScenarioAction
  fitsLimit(result: StepResult): boolean
}

async function runStep(page: LivePage, order: StepOrder): Promise<StepReport> {
  const { deadline, tracker } = page
  const { index, action, fitsLimit } = order
  const { optional: isOptional } = action.options
  const step: Step = {
    page,
    timeoutMs: timeoutOf({ leftMs: deadline.leftMs, isOptional }),
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
  using _ = deadline.onTimeout(() =>
    failure(step.obstacle ? `time was up, and ${step.obstacle}` : 'time was up'),
  )
  tracker.resetLimits()
  try {
    if (index > 0) await hearFromPage(step)
    if (action.action !== 'wait') await waitForNextPage(step)
    const result = await deadline.during(perform(step, action))
    if (!fitsLimit(result)) {
      throw new ActionProblem(`all results together have more than ${resultBytesMax} bytes`)
    }
    return report(true, result)
  } catch (error) {
    const problem = await messageOf(page, error)
    if (!isOptional) throw failure(problem)
    return report(false, { error: problem })
  }
}

// A crashing page first rejects commands; the crash is reported a little later and ends the visit.
const crashReportMsMax = 50

/** Rethrows errors that are not problems of the action. */
async function messageOf(page: LivePage, error: unknown): Promise<string> {
  if (error instanceof ActionProblem) return error.message
  if (error instanceof Failure && error.code === 'SCREENSHOT_FAILED') return withoutFullStop(error)
  if (!isRejected(error)) throw error
  await sleep(page, crashReportMsMax)
  return /context|navigated/i.test(error.message)
    ? 'the page navigated meanwhile'
    : `the browser rejected it: ${error.message}`
}

/** The message becomes part of a longer sentence. */
const withoutFullStop = ({ message }: Failure): string => message.replace(/\.$/, '')

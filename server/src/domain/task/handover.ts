import { engineFor } from '../scrape/choose-engine.ts'
import type { EngineReason, Handover, PageVerdict } from '../scrape/engine-reason.ts'
import type { Page } from '../scrape/page.ts'
import { extractOrderOf } from '../scrape/scrape-request.ts'
import type { AttemptRecord } from './attempt.ts'
import type { TaskLane } from './lane.ts'
import { isRepeatable, type Task, type TaskProgress } from './task.ts'

type AutoTask = Task & Pick<TaskProgress, 'attemptLog'>

/**
 * Whether the response decides which engine the page gets: the caller said `auto`, and neither an option
 * nor the method has decided it. A browser sends GET requests only.
 */
export const isAuto = (task: Pick<Task, 'request'>): boolean =>
  extractOrderOf(task.request)?.renderJs === 'auto' &&
  engineFor(task.request.options) === 'http' &&
  isRepeatable(task)

/** Whether an HTTP response is judged. A file that a browser came upon is not: it would go to and fro. */
export const isJudged = (task: AutoTask): boolean =>
  isAuto(task) && lastHandover(task.attemptLog)?.reason !== 'file'

/** Whether a file that a browser comes upon is fetched over HTTP instead. A scrape has the browser's view. */
export const leavesFiles = ({ request }: Pick<Task, 'request'>): boolean =>
  extractOrderOf(request) !== undefined && !request.options.is_json_response

/**
 * The verdict that counts. A target that asks for a pause gets one: a short page about that is no
 * reason to ask it again at once.
 */
export const verdictOn = (
  { statusCode, headers }: Pick<Page, 'statusCode' | 'headers'>,
  verdict: PageVerdict,
): PageVerdict => {
  const asksForPause = statusCode === 429 || headers['retry-after'] !== undefined
  return asksForPause && verdict !== 'script_challenge' ? 'static' : verdict
}

/** Why the engine fetched the page; undefined where the request alone decided it. */
export function engineReasonOf(
  task: AutoTask,
  engine: TaskLane,
  verdict: PageVerdict | undefined,
): EngineReason | undefined {
  const reason = lastHandover(task.attemptLog)?.reason
  if (engine === 'http' && reason === 'file') return reason
  if (!isAuto(task)) return undefined
  if (engine === 'http') return verdict === 'static' ? verdict : 'browser_unavailable'
  return reason ?? 'scripted_host'
}

const lastHandover = (attemptLog: readonly AttemptRecord[]): Handover | undefined =>
  attemptLog.findLast(({ handover }) => handover)?.handover

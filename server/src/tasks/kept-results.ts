import { Failure } from '../domain/failure.ts'
import type { Screenshot } from '../domain/page.ts'
import { resultExpiresAtMs, type Task, type TaskProgress } from '../domain/task.ts'
import { Turns } from '../runtime/turns.ts'
import { summariseDeliveries } from '../storage/deliveries.ts'
import { isResultStored } from '../storage/results.ts'
import type { ContentForm, FinishedResult } from './finished-task.ts'
import { readResult, readScreenshot, type StoredResultParts } from './stored-result.ts'

export interface KeptResultsParts extends StoredResultParts {
  resultsKeptMs: number
}

type EndedTask = Task & TaskProgress

/** What tasks brought back, for as long as it is kept. */
export interface KeptResults {
  /** Refuses with `EXPIRED` what is over or gone, without reading it. */
  require(task: EndedTask): Promise<void>
  /** Undefined where it is over, whether it has been removed already or not, or gone before its time. */
  read(task: EndedTask, form: ContentForm): Promise<FinishedResult | undefined>
  /** Of a task that is completed. */
  getScreenshot(task: EndedTask): Promise<Screenshot>
}

export function createKeptResults(parts: KeptResultsParts): KeptResults {
  const { db, resultsKeptMs } = parts
  const reading = new Turns({ atOnceMax: readAtOnceMax, waitingMax: readersWaitingMax })

  return {
    async require(task) {
      if ((await isExpired(task)) || (await isEvicted(task))) throw expired()
    },
    async read(task, form) {
      if (await isExpired(task)) return undefined
      return inTurn(() => readResult(parts, task, form))
    },
    async getScreenshot(task) {
      if (await isExpired(task)) throw expired()
      const screenshot = await inTurn(() => readScreenshot(parts, task))
      if (screenshot === undefined) throw expired()
      if (screenshot === null) throw noScreenshot()
      return screenshot
    },
  }

  async function isExpired(task: EndedTask): Promise<boolean> {
    const [deliveries] = await db.run(summariseDeliveries(task.id))
    return db.nowMs() >= resultExpiresAtMs(task, deliveries, resultsKeptMs)
  }

  /** Its account may have had more than it may keep; what ended without a result has none to lose. */
  async function isEvicted(task: EndedTask): Promise<boolean> {
    const [isStored] = task.state === 'completed' ? await db.run(isResultStored(task.id)) : [true]
    return !isStored
  }

  /** A result may take a hundred megabytes while it is read, so not everyone reads at once. */
  async function inTurn<Read>(read: () => Promise<Read>): Promise<Read> {
    const turn = await reading.run(read)
    if (!turn) throw tooManyReaders()
    return turn.result
  }
}

const readAtOnceMax = 8
const readersWaitingMax = 200

export const expired = () => new Failure('EXPIRED', 'The result is no longer kept.')

export const noScreenshot = () => new Failure('NOT_FOUND', 'This task has no screenshot.')

const tooManyReaders = () =>
  new Failure('RATE_LIMITED', 'Too many results are being read at once.', { retryAfterSeconds: 1 })

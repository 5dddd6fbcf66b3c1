import { openColumn } from '../../../src/storage/secrets/sealed-columns.ts'
import { sql } from '../../../src/storage/statement.ts'
import { callbackPath } from '../../support/scrape-calls.ts'
import { until } from '../../support/until.ts'
import type { FaultService } from '../fault-service.ts'
import type { Stage } from './hostile-case.ts'
import type { HostileReceiver, ReceiverOutcome } from './hostile-receivers.ts'
import { sendResponse } from './raw-responders.ts'
import type { OriginCaller, PeerOutcome } from './scrape-origin.ts'
import { startRespondingPeer } from './start-peers.ts'

/** Pages for the callbacks: a small one, and one that makes a callback of almost 8 MiB. */
export interface CallbackPages {
  small: string
  large: string
}

export async function startCallbackPages(stage: Stage): Promise<CallbackPages> {
  const small = await startRespondingPeer(stage, sendResponse('<p>a page</p>'))
  const large = await startRespondingPeer(stage, sendResponse('a'.repeat(7.9 * 2 ** 20)))
  return { small: `http://127.0.0.1:${small}/`, large: `http://127.0.0.1:${large}/` }
}

interface DeliveryParts {
  service: FaultService
  caller: OriginCaller
  pages: CallbackPages
}

const attemptWithinMs = 60_000

/** Has a callback sent to it, and looks at what the first attempt came to. */
export async function deliverToReceiver(
  stage: Stage,
  { service, caller, pages }: DeliveryParts,
  receiver: HostileReceiver,
): Promise<PeerOutcome> {
  const callbackUrl = await receiver.start(stage)
  const url = receiver.isLarge ? pages.large : pages.small
  const accepted = await caller.call(`POST ${callbackPath}`, { url, callbackUrl })
  const id: string = accepted.json().requestId
  const outcomes = [await outcomeAfter(caller, id, 1)]
  if (receiver.again) {
    await caller.call(`POST ${callbackPath}/${id}/redeliver`)
    outcomes.push(await outcomeAfter(caller, id, 2))
  }
  const expected = [receiver.outcome, ...(receiver.again ? [receiver.again] : [])]
  return {
    name: receiver.name,
    expected: expected.map(describeOutcome).join('; '),
    verdict: outcomes.map(describeOutcome).join('; '),
    tookMs: await durationOf(service, id),
    withinMs: receiver.takesMs,
  }
}

async function outcomeAfter(
  caller: OriginCaller,
  id: string,
  attempts: number,
): Promise<ReceiverOutcome> {
  let delivery = { attempts: 0, status: 'pending', lastError: null, nextAttemptAt: null }
  await until(
    async () => {
      delivery = (await caller.call(`GET ${callbackPath}/${id}`)).json().delivery
      return delivery.attempts >= attempts
    },
    { withinMs: attemptWithinMs },
  )
  const { status, lastError: error, nextAttemptAt } = delivery
  const outcome = { status: status as ReceiverOutcome['status'], error }
  if (nextAttemptAt === null || attempts > 1) return outcome
  return { ...outcome, pauseHours: (Date.parse(nextAttemptAt) - Date.now()) / 3_600_000 }
}

/** The schedule's own hour is a fifth longer or shorter. */
const describeOutcome = ({ status, error, pauseHours }: ReceiverOutcome): string => {
  if (pauseHours === undefined) return [status, error ?? ''].join(' ').trim()
  const hours = pauseHours > 0.75 && pauseHours < 1.25 ? 1 : Math.round(pauseHours)
  return `${status} for ${hours} h: ${error}`
}

async function durationOf({ db }: FaultService, taskId: string): Promise<number> {
  const [attempt] = await db.run(sql<{ duration_ms: number }>`
    select duration_ms from delivery_attempts join deliveries on deliveries.id = delivery_id
    where task_id = ${taskId} and number = 1`)
  return Number(attempt?.duration_ms)
}

/** Lists log entries of attempts with characters that would harm a terminal or a store. */
export async function listUnprintable({ db, sealer }: FaultService): Promise<string[]> {
  const attempts = await db.run(sql<AttemptRow>`
    select deliveries.id, account_id, error, answer_excerpt
    from delivery_attempts join deliveries on deliveries.id = delivery_id`)
  const open = ({ id, account_id: accountId, answer_excerpt }: AttemptRow) =>
    answer_excerpt &&
    openColumn(sealer, 'delivery_attempts.answer_excerpt', { id, accountId }, answer_excerpt)
  return attempts
    .map((attempt) => `${attempt.error ?? ''}${open(attempt) ?? ''}`)
    .filter((text) => /[\p{C}\p{Zl}\p{Zp}]/u.test(text))
}

interface AttemptRow {
  id: string
  account_id: string
  error: string | null
  answer_excerpt: string | null
}

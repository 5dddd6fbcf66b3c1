import assert from 'node:assert/strict'
import type { TaskObject } from '../../src/domain/task/task-object.ts'
import type { ApiAnswer } from './call-api.ts'
import type { TestAccount } from './test-service.ts'
import { until } from './until.ts'

export const callbackPath = '/api/scraper/scrape/callback'
export const realtimePath = '/api/scraper/scrape/realtime'

/** Lets a service reach the origins and receivers of tests. */
export const reachingLoopback = { TRAWL_EGRESS_ALLOW: '127.0.0.0/8' }

/** A receiver that nobody listens at. */
export const deafUrl = 'http://127.0.0.1:1025/callback'

/** Ids of no task: one that could be, and texts that could not. */
export const unknownIds = [
  '01a1def5-68ae-7e29-9849-4f82ca93e413',
  '11111111-1111-1111-1111-111111111111',
  'all',
  '%00',
  '%F0%9F%90%9F',
  "'%20or%201=1",
]

export const scrapeNow = (account: TestAccount, body: unknown): Promise<ApiAnswer> =>
  account.call(`POST ${realtimePath}`, body)

/** Submits a task in callback mode and gives its id. */
export async function submitTask(
  account: TestAccount,
  body: Record<string, unknown>,
): Promise<string> {
  const answer = await account.call(`POST ${callbackPath}`, { callbackUrl: deafUrl, ...body })
  assert.equal(answer.statusCode, 202, answer.text)
  return answer.json().requestId
}

export async function getStatus(account: TestAccount, id: string): Promise<TaskObject> {
  const answer = await account.call(`GET ${callbackPath}/${id}`)
  assert.equal(answer.statusCode, 200, answer.text)
  return answer.json()
}

/** The task once it stands so. */
export const untilStatus = (
  account: TestAccount,
  id: string,
  status: TaskObject['status'],
): Promise<TaskObject> => untilTask(account, id, (task) => task.status === status)

/** The task once its callback stands so. */
export const untilDelivery = (
  account: TestAccount,
  id: string,
  status: NonNullable<TaskObject['delivery']>['status'],
): Promise<TaskObject> => untilTask(account, id, ({ delivery }) => delivery?.status === status)

export async function untilTask(
  account: TestAccount,
  id: string,
  isSo: (task: TaskObject) => boolean,
): Promise<TaskObject> {
  let task: TaskObject | undefined
  await until(async () => {
    task = await getStatus(account, id)
    return isSo(task)
  })
  return task as TaskObject
}

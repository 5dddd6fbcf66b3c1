import assert from 'node:assert/strict'
import type { TaskObject } from '../../src/wire/scrape/responses.ts'
import type { ApiResponse } from './call-api.ts'
import type { TestAccount } from './test-service.ts'
import { until } from './until.ts'

export const callbackPath = '/api/scraper/scrape/callback'
export const realtimePath = '/api/scraper/scrape/realtime'

/** Lets a service reach the origins and receivers of tests. */
export const reachingLoopback = { TRAWL_EGRESS_ALLOW: '127.0.0.0/8' }

/** A callback URL on a port where nobody listens. */
export const closedPortUrl = 'http://127.0.0.1:1025/callback'

/** Ids of no task: two valid UUIDs and texts that are no UUID. */
export const unknownIds = [
  '01a1def5-68ae-7e29-9849-4f82ca93e413',
  '11111111-1111-1111-1111-111111111111',
  'all',
  '%00',
  '%F0%9F%90%9F',
  "'%20or%201=1",
]

export const scrapeNow = (account: TestAccount, body: unknown): Promise<ApiResponse> =>
  account.call(`POST ${realtimePath}`, body)

/** Submits a task in callback mode and returns its id. */
export async function submitTask(
  account: TestAccount,
  body: Record<string, unknown>,
): Promise<string> {
  const response = await account.call(`POST ${callbackPath}`, {
    callbackUrl: closedPortUrl,
    ...body,
  })
  assert.equal(response.statusCode, 202, response.text)
  return response.json().requestId
}

export async function getStatus(account: TestAccount, id: string): Promise<TaskObject> {
  const response = await account.call(`GET ${callbackPath}/${id}`)
  assert.equal(response.statusCode, 200, response.text)
  return response.json()
}

/** Resolves with the task once it has this status. */
export const untilStatus = (
  account: TestAccount,
  id: string,
  status: TaskObject['status'],
): Promise<TaskObject> => untilTask(account, id, (task) => task.status === status)

/** Resolves with the task once the delivery of its callback has this status. */
export const untilDelivery = (
  account: TestAccount,
  id: string,
  status: NonNullable<TaskObject['delivery']>['status'],
): Promise<TaskObject> => untilTask(account, id, ({ delivery }) => delivery?.status === status)

export async function untilTask(
  account: TestAccount,
  id: string,
  condition: (task: TaskObject) => boolean,
): Promise<TaskObject> {
  let task: TaskObject | undefined
  await until(async () => {
    task = await getStatus(account, id)
    return condition(task)
  })
  return task as TaskObject
}

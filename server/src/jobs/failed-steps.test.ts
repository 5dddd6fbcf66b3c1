import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storeUnavailable } from '../storage/outages/store-unavailable.ts'
import { FailedSteps, failedStepsMax } from './failed-steps.ts'

const defect = new TypeError('broken')

/** The number of the failure that ends the crawl; undefined if none does. */
function endingFailure(
  of: (number: number) => { error?: unknown; progress?: string; nowMs?: number },
): number | undefined {
  const steps = new FailedSteps(1_000)
  for (let number = 1; number <= 3 * failedStepsMax; number += 1) {
    const common = { error: defect, progress: 'same', nowMs: number * 1_000 }
    if (steps.add('job', { ...common, ...of(number) })) return number
  }
  return undefined
}

test('a crawl has failed for good after many failures in a row', () => {
  assert.equal(
    endingFailure(() => ({})),
    failedStepsMax,
  )
})

test('an outage of the store fails no crawl', () => {
  assert.equal(
    endingFailure(() => ({ error: storeUnavailable('The store does not answer.') })),
    undefined,
  )
})

test('a crawl some of whose pages end has not failed', () => {
  assert.equal(
    endingFailure((number) => ({ progress: String(Math.floor(number / 10)) })),
    undefined,
  )
})

test('failures that follow each other at once count as one', () => {
  assert.equal(
    endingFailure((number) => ({ nowMs: number * 500 })),
    2 * failedStepsMax - 1,
  )
})

test('a step that succeeds ends the row of failures', () => {
  const steps = new FailedSteps(0)
  const failed = { error: defect, progress: 'same', nowMs: 0 }
  for (let number = 1; number < failedStepsMax; number += 1) steps.add('job', failed)

  steps.forget('job')

  assert.equal(steps.add('job', failed), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, tierStoreKinds } from '../support/test-store.ts'
import { runIdempotency } from './idempotency/run-idempotency.ts'

// `npm run faults idempotency` sends a thousand.
const duplicates = 200
const oneTask = { answers: duplicates, statuses: [202], ids: 1, tasks: 1, callbacks: 1 }

/** Zero if the first caller got a 503 because the store was too slow, and retried. */
const atMostOne = (count: number): number => Math.min(count, 1)

for (const kind of tierStoreKinds) {
  test(`${kind}: ${duplicates} concurrent requests under one idempotency key create one task`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runIdempotency({
      environment: serviceEnvironment(place),
      duplicates,
      processCount: kind === 'postgres' ? 2 : 1,
      dies: false,
    })

    const firstAnswers = atMostOne(report.firstAnswers)
    assert.deepEqual(report, { ...oneTask, firstAnswers, kills: 0 })
  })

  test(`${kind}: a process that dies between commit and response leaves one task per idempotency key`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runIdempotency({
      environment: serviceEnvironment(place),
      duplicates,
      processCount: 1,
      dies: true,
    })

    // The process died before it could send the first response.
    assert.deepEqual(report, { ...oneTask, firstAnswers: 0, kills: 1 })
  })
}

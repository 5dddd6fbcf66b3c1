import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, storeKinds } from '../support/test-store.ts'
import { runIdempotency } from './idempotency/run-idempotency.ts'

const duplicates = 1_000
const oneTask = { answers: duplicates, statuses: [202], ids: 1, tasks: 1, callbacks: 1 }

/** None where the first was told that the store was too slow, and asked again. */
const atMostOne = (count: number): number => Math.min(count, 1)

for (const kind of storeKinds) {
  test(`${kind}: ${duplicates} requests under one key at once are one task`, async (t) => {
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

  test(`${kind}: so are they when the process dies between commit and answer`, async (t) => {
    const { place } = await createTestStore(t, kind)

    const report = await runIdempotency({
      environment: serviceEnvironment(place),
      duplicates,
      processCount: 1,
      dies: true,
    })

    // Whoever was first could not be told so.
    assert.deepEqual(report, { ...oneTask, firstAnswers: 0, kills: 1 })
  })
}

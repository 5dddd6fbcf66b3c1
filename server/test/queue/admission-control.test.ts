import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Depths } from '../../src/queue/depths.ts'
import { startAdmissionControl } from '../../src/tasks/admission-control.ts'
import { createTestStore, silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

test('an outage of the store is detected although reading the disk never ends', async (t) => {
  const { open } = await createTestStore(t, 'sqlite')
  const db = await open()
  using depths = new Depths({ db, log: silentLog })
  using admission = startAdmissionControl({
    db,
    log: silentLog,
    depths,
    limits: {
      diskFreeMin: { bytes: 0 },
      residentBytesMax: Number.MAX_SAFE_INTEGER,
      queueMax: 10,
      accountQueueMax: 10,
    },
    storage: { isFull: () => false },
    readDisk: () => new Promise(() => undefined),
  })
  assert.ok(admission.report().load.isStoreAnswering)

  await db[Symbol.asyncDispose]()

  await until(() => !admission.report().load.isStoreAnswering)
})

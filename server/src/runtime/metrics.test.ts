import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from './metrics.ts'

test('those who ask for the metrics at the same time get one text', async () => {
  let readCount = 0
  const metrics = createMetrics({
    storeClockOffsetMs: () => {
      readCount += 1
      return 0
    },
  })

  await Promise.all(Array.from({ length: 40 }, () => metrics.text()))
  assert.equal(readCount, 1)

  metrics.leaseReclaims.inc()
  assert.match(await metrics.text(), /^trawl_lease_reclaims_total 1$/m)
})

test('many who ask for the metrics again and again get one text a time, each newer than the question', async () => {
  let readCount = 0
  const metrics = createMetrics({
    storeClockOffsetMs: () => {
      readCount += 1
      return 0
    },
  })
  async function askThrice(): Promise<void> {
    for (let time = 0; time < 3; time += 1) {
      metrics.leaseReclaims.inc()
      const asked = readCount
      await metrics.text()
      assert.ok(readCount > asked)
    }
  }

  await Promise.all(Array.from({ length: 20 }, askThrice))

  assert.equal(readCount, 3)
})

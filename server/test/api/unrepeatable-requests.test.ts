/** A request other than GET is sent once, and not given up because of trouble before it was sent. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type CrashPoint, watchCrashPoints } from '../../src/runtime/crash-point.ts'
import { sql } from '../../src/storage/statement.ts'
import { startCuttableGateway } from '../support/cuttable-gateway.ts'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const posted = { method: 'POST', body: 'x=1' }

test('sqlite: a request is not sent by a process that lost its task before', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, {
    environment: { ...reachingLoopback, TRAWL_HTTP_CONCURRENCY: '1' },
  })
  const account = await service.createAccount()
  onceAt(t, 'after_claim', () => {
    using db = new DatabaseSync(join(service.dataDir, 'trawl.db'))
    db.exec("update queue_entries set fence = fence + 1, leased_by = 'another process'")
  })

  await submitExtraction(account, { url: site.url('/posted'), ...posted })
  await submitExtraction(account, { url: site.url('/next') })
  const sent = () => [site.heldAt('/posted').length, site.heldAt('/next').length]
  await until(() => sent().some((count) => count > 0))

  assert.deepEqual(sent(), [0, 1])
})

test('postgres: a request whose count was committed in vain is sent when the store is back', async (t) => {
  const site = await startHoldingSite(t)
  const gateway = await startCuttableGateway(t)
  const { place, open } = await createTestStore(t, 'postgres')
  const url = new URL(place.url ?? '')
  gateway.leadTo(url.href)
  url.port = new URL(gateway.url).port
  const service = await startTestService(t, {
    environment: {
      ...reachingLoopback,
      TRAWL_DATABASE_URL: url.href,
      TRAWL_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    },
  })
  const account = await service.createAccount()
  const db = await open()
  onceAt(t, 'after_claim', () => gateway.muteAt('commit'))

  const id = await submitExtraction(account, { url: site.url('/posted'), ...posted })
  await until(async () => (await db.run(attemptsOf(id)))[0] === 1)
  gateway.cut()
  gateway.mend()

  ;(await site.untilHeld('/posted')).answer()
  const { status, error } = await untilEnded(account, id)
  assert.deepEqual([status, error], ['completed', null])
  assert.equal(site.heldAt('/posted').length, 1)
})

const attemptsOf = (id: string) =>
  sql<{ attempts: number }>`select attempts from tasks where id = ${id}`.map((row) => row.attempts)

function onceAt(t: TestContext, wanted: CrashPoint, act: () => void): void {
  t.after(() => watchCrashPoints(() => undefined))
  watchCrashPoints((point) => {
    if (point !== wanted) return
    watchCrashPoints(() => undefined)
    act()
  })
}

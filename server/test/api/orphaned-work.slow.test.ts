import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { farSchedule } from '../support/delivery-scene.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback, submitTask, untilDelivery, untilTask } from '../support/scrape-calls.ts'
import { respondWith, startTestReceiver } from '../support/test-receiver.ts'
import { startTestService } from '../support/test-service.ts'
import { storeKinds } from '../support/test-store.ts'

for (const kind of storeKinds) {
  test(`${kind}: a task and a delivery that lost their queue entries are finished, counted and logged`, async (t) => {
    const site = await startHoldingSite(t)
    const receiver = await startTestReceiver(t)
    const requeued: string[] = []
    const write = (line: string) => {
      const { msg, kind, count } = JSON.parse(line)
      if (/had no queue entry/.test(msg)) requeued.push(`${count} ${kind}`)
    }
    const service = await startTestService(t, {
      kind,
      environment: {
        ...reachingLoopback,
        TRAWL_HTTP_CONCURRENCY: '1',
        TRAWL_LEASE: '1s',
        TRAWL_DELIVERY_SCHEDULE: farSchedule,
      },
      log: pino({ level: 'warn' }, { write }),
    })
    const account = await service.createAccount()
    const { db } = await service.openBeside()
    receiver.behave(respondWith(500))
    await submitTask(account, { url: site.url('/first') })
    // It waits for the only slot, so that nobody holds its entry.
    const id = await submitTask(account, { url: site.url('/lost'), callbackUrl: receiver.url })

    await db.run(sql`delete from queue_entries where id = ${id}`)
    ;(await site.untilHeld('/first')).answer()
    ;(await site.untilHeld('/lost')).answer()
    await untilTask(account, id, ({ delivery }) => delivery?.attempts === 1)
    receiver.behave(respondWith(200))
    await db.run(sql`
      delete from queue_entries
      where work_id in (select id from deliveries where task_id = ${id})`)
    const { delivery } = await untilDelivery(account, id, 'delivered')

    assert.equal(delivery?.attempts, 2)
    assert.deepEqual(requeued, ['1 task', '1 delivery'])
    const metrics = (await callApi(service.url, 'GET /metrics')).text
    assert.match(metrics, /^trawl_orphans_requeued_total\{kind="task"\} 1$/m)
    assert.match(metrics, /^trawl_orphans_requeued_total\{kind="delivery"\} 1$/m)
  })
}

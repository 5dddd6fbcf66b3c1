import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores } from '../support/test-service.ts'
import { createTestStore } from '../support/test-store.ts'
import {
  deliverToReceiver,
  listUnprintable,
  startCallbackPages,
} from './hostile/deliver-to-receiver.ts'
import { hostileReceivers } from './hostile/hostile-receivers.ts'
import { startHostileService } from './hostile/hostile-service.ts'
import { startNeighbours } from './hostile/neighbours.ts'

onBothStores((kind) => {
  test(`${kind}: hostile receivers`, { concurrency: true }, async (t) => {
    const { place } = await createTestStore(t, kind)
    await using resources = new AsyncDisposableStack()
    const { service, stage } = await startHostileService(resources, place.url)
    const caller = await service.createAccount('caller')
    const neighbours = await startNeighbours(stage, await service.createAccount('neighbour'))
    const pages = await startCallbackPages(stage)

    const beside = t.test('good tasks beside hostile receivers finish normally', async () => {
      const { finishedCount, failures } = await neighbours.run(30, 500)

      assert.deepEqual(failures, [])
      assert.equal(finishedCount, 30)
    })
    const cases = hostileReceivers.map((receiver) =>
      t.test(`a receiver that ${receiver.name}`, async () => {
        const seen = await deliverToReceiver(stage, { service, caller, pages }, receiver)

        assert.equal(seen.verdict, seen.expected)
        assert.ok(seen.tookMs < seen.withinMs + 15_000, `It took ${seen.tookMs} ms.`)
      }),
    )
    await Promise.all([beside, ...cases])

    assert.deepEqual(await listUnprintable(service), [])
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'

const timeout = 5_000
const standstillMs = 5_500

onBothStores((kind, start) => {
  test(`${kind}: no target is blamed for the time in which the process stood still`, async (t) => {
    const site = await startHoldingSite(t)
    const account = await (await start(t, { environment: reachingLoopback })).createAccount()
    const getId = await submitExtraction(account, { url: site.url('/got'), timeout })
    const postId = await submitExtraction(account, {
      url: site.url('/posted'),
      timeout,
      method: 'POST',
      body: 'x=1',
    })
    await site.untilHeld('/got')
    await site.untilHeld('/posted')

    holdUpProcess(standstillMs)
    ;(await site.untilHeld('/got', 2)).answer()

    assert.equal((await untilEnded(account, getId)).status, 'completed')
    // It must not be sent twice, so nothing is left but to end it.
    assert.equal((await untilEnded(account, postId)).error?.details?.['reason'], 'TARGET_TIMEOUT')
    assert.equal(site.heldAt('/posted').length, 1)
  })
})

/** Blocks the event loop, as if the process was paused. */
const holdUpProcess = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { runTrawl } from '../support/run-program.ts'
import { callbackPath, reachingLoopback, realtimePath } from '../support/scrape-calls.ts'
import { startTestReceiver } from '../support/test-receiver.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, type StoreKind, tierStoreKinds } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const apiKey = 'the-key-of-the-test'

/** Starts services as separate processes on one store. */
async function createPlace(t: TestContext, kind: StoreKind) {
  const { place } = await createTestStore(t, kind)
  return {
    async start(environment: Record<string, string> = {}) {
      const program = runTrawl(t, ['serve'], {
        cwd: place.dataDir,
        environment: {
          ...serviceEnvironment(place),
          ...reachingLoopback,
          TRAWL_API_KEY: apiKey,
          TRAWL_CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
          TRAWL_LOG_LEVEL: 'warn',
          // Leases outlast these tests, so that no task comes back because its lease expired.
          TRAWL_LEASE: '10m',
          ...environment,
        },
      })
      const [, url = ''] = await program.whenSaid(/API +(http:\S+)/)
      const call = (request: string, body?: unknown) =>
        callWithRetry(() => callApi(url, request, { headers: { 'x-api-key': apiKey }, body }))
      const submit = async (body: unknown): Promise<string> => {
        const answer = await call(`POST ${callbackPath}`, body)
        assert.equal(answer.statusCode, 202, answer.text)
        return answer.json().requestId
      }
      return { ...program, call, submit }
    },
  }
}

test('graceful shutdown', { concurrency: true }, async (t) => {
  await Promise.all(
    tierStoreKinds.flatMap((kind) => [
      t.test(`${kind}: finishes what it has begun, begins nothing else, and says so`, (inner) =>
        finishes(inner, kind),
      ),
      t.test(
        `${kind}: a stopping service releases overdue tasks to another service at once`,
        (inner) => givesAway(inner, kind),
      ),
    ]),
  )
})

async function finishes(t: TestContext, kind: StoreKind): Promise<void> {
  const place = await createPlace(t, kind)
  const site = await startHoldingSite(t)
  const receiver = await startTestReceiver(t)
  const callbackUrl = `${receiver.url}/callback`
  const first = await place.start({ TRAWL_HTTP_CONCURRENCY: '2', TRAWL_DRAIN_DELAY: '4s' })
  const waiting = first.call(`POST ${realtimePath}`, { url: site.url('/awaited') })
  const awaited = await site.untilHeld('/awaited')
  await first.submit({ url: site.url('/begun'), callbackUrl })
  const begun = await site.untilHeld('/begun')
  const inVain = first.call(`POST ${realtimePath}`, { url: site.url('/in-vain') })

  first.child.kill('SIGTERM')

  await until(async () => (await first.call('GET /readyz')).statusCode === 503, { withinMs: 3_900 })
  const accepted = await first.call(`POST ${callbackPath}`, { url: site.url('/late'), callbackUrl })
  assert.equal(accepted.statusCode, 202, 'balancers have not noticed yet')
  assert.equal(accepted.headers['connection'], 'close')
  assertFailure(await inVain, 'SHUTTING_DOWN')
  const refused = await first.call('GET /capabilities')
  assertFailure(refused, 'SHUTTING_DOWN')
  assert.match(refused.headers['retry-after'] ?? '', /^\d+$/)
  assert.equal(refused.headers['connection'], 'close')
  awaited.answer()
  begun.answer()
  assert.equal((await waiting).text, '<p>held</p>')
  assert.equal(await first.whenEnded, 0)
  assert.deepEqual([site.heldAt('/late').length, site.heldAt('/in-vain').length], [0, 0])
  assert.deepEqual(receiver.received, [])

  const second = await place.start()
  const late = await site.untilHeld('/late')
  late.answer()
  const told = await receiver.arrivals(2)
  second.child.kill('SIGTERM')

  assert.equal(await second.whenEnded, 0)
  assert.equal(told.length, 2)
  assert.deepEqual(new Set(told.map(({ json }) => json.status)), new Set(['completed']))
  assert.equal(site.heldAt('/begun').length, 1, 'what was finished is not done again')
}

async function givesAway(t: TestContext, kind: StoreKind): Promise<void> {
  const place = await createPlace(t, kind)
  const site = await startHoldingSite(t)
  const receiver = await startTestReceiver(t)
  const body = { url: site.url('/hangs'), callbackUrl: `${receiver.url}/callback` }
  const first = await place.start()
  const requestId = await first.submit(body)
  await site.untilHeld('/hangs')
  const waiting = first.call(`POST ${realtimePath}`, { url: site.url('/awaited') })
  await site.untilHeld('/awaited')
  // Its own time outlasts the start of the second service and the stop of the first.
  const order = { url: site.url('/sent'), method: 'POST', body: {}, timeout: 120_000 }
  const sent = first.call('POST /v1/extract', order)
  await site.untilHeld('/sent')
  const second = await place.start()

  first.child.kill('SIGTERM')

  assertFailure(await waiting, 'SHUTTING_DOWN')
  const notRetried = await sent
  assert.equal(notRetried.statusCode, 422, notRetried.text)
  assert.match(notRetried.text, /may have been sent/)
  assert.equal(await first.whenEnded, 0)
  const again = await site.untilHeld('/hangs', 2)
  again.answer()
  const [told] = await receiver.arrivals(1)
  assert.equal(told?.json.requestId, requestId)
  assert.equal(told?.json.status, 'completed')
  assert.equal(site.heldAt('/awaited').length, 1, 'nobody waits for it any more')
  assert.equal(second.child.exitCode, null)
}

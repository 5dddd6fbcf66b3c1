import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/domain/failure.ts'
import { EventHub } from '../../src/events/event-hub.ts'
import { readTopics } from '../../src/wire/events/requests.ts'
import { openTestStore, silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

const topics = readTopics('tasks') ?? assert.fail()
const isTooMany = (error: unknown) => error instanceof Failure && error.code === 'RATE_LIMITED'

test('listeners are limited by process and account, and end with their access', async (t) => {
  const db = await openTestStore(t, 'sqlite')
  const readQueue = async () => ({ waiting: 0, running: 0 })
  const hub = new EventHub(
    { db, log: silentLog, readQueue },
    { streamsMax: 3, streamsPerAccountMax: 2 },
  )
  t.after(() => hub[Symbol.asyncDispose]())
  let failure: Failure | undefined
  const authenticate = async () => {
    if (failure) throw failure
  }
  const watch = (account: string) =>
    hub.watch(account, { topics, lastEventId: undefined, authenticate }).resume()

  await t.test('an account has its limit, and so has the process', () => {
    const first = watch('a')
    watch('a')
    assert.throws(() => watch('a'), isTooMany)
    watch('b')
    assert.throws(() => watch('c'), isTooMany)
    first.destroy()
  })

  await t.test('the place of a listener that left is free', async () => {
    await until(() => hub.streamsCount === 2)
    watch('c')
    assert.equal(hub.streamsCount, 3)
  })

  await t.test(
    'a store that does not answer ends no stream, lost access ends them all',
    async () => {
      failure = new Failure('STORE_UNAVAILABLE', 'The store does not answer.')
      hub.checkAccess()
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(hub.streamsCount, 3)

      failure = new Failure('UNAUTHORIZED', 'Credentials are missing or wrong.')
      hub.checkAccess()

      await until(() => hub.streamsCount === 0)
      failure = undefined
      watch('a')
      failure = new Failure('RATE_LIMITED', 'Too many wrong credentials from this address. Wait.')
      hub.checkAccess()

      await until(() => hub.streamsCount === 0)
      hub.endStreams()
      assert.throws(() => watch('a'), Failure)
    },
  )
})

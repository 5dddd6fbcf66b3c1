import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { submitBatch } from '../support/batch-calls.ts'
import { basicOf } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { listenToEvents } from '../support/event-listener.ts'
import { submitExtraction, untilEnded } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const keyOf = ({ apiKey }: TestAccount) => ({ 'x-api-key': apiKey })
const unknownId = '01a1def5-68ae-7e29-9849-4f82ca93e413'

onBothStores((kind, start) => {
  test(`${kind}: watching events`, async (t) => {
    const site = await startPageSite(t)
    site.page('/', '<p>secret page</p>')
    const service = await start(t, { environment: reachingLoopback })
    const { url } = service
    const account = await service.createAccount()
    const stranger = await service.createAccount()
    const scrape = () => submitExtraction(account, { url: site.url('/?token=secret') })

    await t.test('a listener hears of its tasks, by id and state only', async () => {
      const listener = await listenToEvents(t, url, keyOf(account), 'tasks')
      const id = await scrape()

      const event = await listener.untilEvent('task', ({ status }) => status === 'completed')

      assert.deepEqual({ ...event, at: '' }, { ...completed(id), at: '' })
      assert.equal(listener.response.headers['content-type'], 'text/event-stream; charset=utf-8')
      assert.equal(listener.response.headers['x-accel-buffering'], 'no')
      assert.doesNotMatch(listener.text(), /secret|127\.0\.0\.1/)
      listener.close()
    })

    await t.test('a listener of one job hears of its counts and its end', async () => {
      const { job_id } = await submitBatch(account, { urls: [site.url('/'), site.url('/2')] })
      const listener = await listenToEvents(t, url, keyOf(account), `job:${job_id}`)
      // It may have ended before anybody listened.
      const { job_id: other } = await submitBatch(account, { urls: [site.url('/')] })
      const both = await listenToEvents(t, url, keyOf(account), 'jobs')
      await submitBatch(account, { urls: [site.url('/')] })

      const { counts, status } = await both.untilEvent('job', ({ is_ended }) => is_ended)

      assert.equal(status, 'completed')
      assert.equal(counts.total, counts.completed)
      assert.ok(!listener.events.some((one) => one.type === 'job' && one.job_id === other))
      assert.ok(!listener.events.some((one) => one.type === 'task'))
      listener.close()
      both.close()
    })

    await t.test('a listener of the queue gets its counts at once', async () => {
      const listener = await listenToEvents(t, url, keyOf(account), 'queue')

      const { waiting, running } = await listener.untilEvent('queue')

      assert.ok(waiting >= 0 && running >= 0)
      listener.close()
    })

    await t.test('tasks of other accounts stay silent, also by their ids', async () => {
      const mine = await listenToEvents(t, url, keyOf(account), 'tasks')
      const id = await scrape()
      const foreign = await listenToEvents(t, url, keyOf(stranger), `tasks,task:${id},job:${id}`)
      await untilEnded(account, id)
      await mine.untilEvent('task', ({ status }) => status === 'completed')
      const own = await submitExtraction(stranger, { url: site.url('/') })
      await foreign.untilEvent('task', ({ task_id }) => task_id === own)

      assert.ok(!foreign.text().includes(id))
      mine.close()
      foreign.close()
    })

    await t.test('a listener that reconnects gets what it missed', async () => {
      const first = await listenToEvents(t, url, keyOf(account), 'tasks')
      const lastEventId = first.lastEventId() ?? ''
      first.close()
      const id = await scrape()
      await untilEnded(account, id)

      const headers = { ...keyOf(account), 'last-event-id': lastEventId }
      const again = await listenToEvents(t, url, headers, 'tasks')

      await again.untilEvent('task', ({ task_id }) => task_id === id)
      assert.ok(!again.events.some(({ type }) => type === 'reset'))
      again.close()
    })

    await t.test('an id of another process gets a reset', async () => {
      for (const lastEventId of ['0a1b2c3d4e5f-17', 'nonsense', `${unknownId}-1`]) {
        const headers = { ...keyOf(account), 'last-event-id': lastEventId }
        const listener = await listenToEvents(t, url, headers, 'queue')
        await listener.untilEvent('reset')
        listener.close()
      }
    })

    await t.test('unknown topics are refused', async () => {
      for (const topics of ['nothing', 'tasks,', 'task:17', 'job:', '']) {
        assertFailure(await account.call(`GET /v1/events?topics=${topics}`), 'VALIDATION_ERROR')
      }
    })

    await t.test('a revoked key ends its streams, and those of others go on', async () => {
      const { id, key } = (await account.call('POST /v1/keys', { name: 'tail' })).json()
      const revoked = await listenToEvents(t, url, { 'x-api-key': key }, 'tasks')
      const password = { authorization: basicOf(account.username, account.password) }
      const other = await listenToEvents(t, url, password, 'tasks')

      await account.call(`DELETE /v1/keys/${id}`)

      await revoked.untilEnded()
      const task = await scrape()
      await other.untilEvent('task', ({ task_id }) => task_id === task)
      other.close()
    })

    await t.test(
      'an account may have a hundred listeners; a place is free again when one leaves',
      async () => {
        const crowd = await service.createAccount()
        const listeners = await Promise.all(
          Array.from({ length: 100 }, () => listenToEvents(t, url, keyOf(crowd), 'tasks')),
        )

        const refused = await crowd.callWithoutRetry('GET /v1/events')

        assertFailure(refused, 'RATE_LIMITED')
        assert.ok(Number(refused.headers['retry-after']) > 0)
        listeners[0]?.close()
        await until(
          async () => (await crowd.callWithoutRetry('HEAD /v1/events')).statusCode === 200,
        )
        for (const listener of listeners) listener.close()
      },
    )

    await t.test('stopping ends streams and waits for no idle connection', async () => {
      const listener = await listenToEvents(t, url, keyOf(account), 'tasks')
      const { hostname, port } = new URL(url)
      const unused = connect(Number(port), hostname)
      await once(unused, 'connect')

      const stopping = service[Symbol.asyncDispose]()

      await listener.untilEnded()
      // The limit of a drain is 25 s: only a server that closes the connection by itself is done before.
      assert.equal(await Promise.race([stopping.then(() => 'stopped'), after(15_000)]), 'stopped')
      unused.destroy()
    })
  })
})

const completed = (id: string) => ({
  type: 'task',
  task_id: id,
  job_id: null,
  status: 'completed',
  at: '',
})

const after = (ms: number) =>
  new Promise<string>((resolve) => setTimeout(() => resolve('late'), ms).unref())

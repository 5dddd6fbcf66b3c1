import assert from 'node:assert/strict'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { script } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { listenToEvents } from '../support/event-listener.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import {
  callbackPath,
  closedPortUrl,
  reachingLoopback,
  realtimePath,
  submitTask,
} from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const body = { url: 'http://127.0.0.1:1025/', callbackUrl: closedPortUrl }
const inWords = /file of the store was deleted or replaced/

test('after trawl.db was deleted nothing is accepted: 503 in words, not ready, one line in the log', async (t) => {
  const loud: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void loud.push(JSON.parse(line).msg) })
  const service = await startTestService(t, { environment: reachingLoopback, log })
  const account = await service.createAccount()
  const file = join(service.dataDir, 'trawl.db')
  await submitTask(account, body)

  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`)
  const answers = []
  for (let count = 0; count < 5; count++) {
    const posts = Array.from({ length: 3 }, () =>
      account.callWithoutRetry(`POST ${callbackPath}`, body),
    )
    answers.push(...(await Promise.all(posts)))
  }
  const ready = await callApi(service.url, 'GET /readyz')
  const page = await callApi(service.url, 'GET /capabilities')

  for (const answer of [...answers, page]) {
    assert.match(String(assertFailure(answer, 'STORE_UNAVAILABLE')['message']), inWords)
  }
  assert.equal(ready.statusCode, 503)
  assert.match(ready.json().message, inWords)
  assert.equal((await callApi(service.url, 'GET /livez')).statusCode, 200)
  assert.deepEqual(
    loud.filter((line) => line.startsWith('Calls to the store')).map((line) => line.slice(0, 60)),
    [`Calls to the store ${file} fail: The file of the store`.slice(0, 60)],
  )
})

test('the service goes on by itself once its trawl.db is back in its place', async (t) => {
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const file = join(service.dataDir, 'trawl.db')

  await rename(file, `${file}.away`)
  const refused = await account.callWithoutRetry(`POST ${callbackPath}`, body)
  await rename(`${file}.away`, file)

  assertFailure(refused, 'STORE_UNAVAILABLE')
  await until(async () => (await callApi(service.url, 'GET /readyz')).statusCode === 200)
  await submitTask(account, body)
})

test('a caller who waits gets 503 when its time is over while the store is away', async (t) => {
  const service = await startTestService(t, {
    environment: { ...reachingLoopback, TRAWL_LEASE: '1s' },
  })
  const account = await service.createAccount()
  const site = await startHoldingSite(t)
  const file = join(service.dataDir, 'trawl.db')
  const url = site.url('/page')
  const calls = [
    account.callWithoutRetry(`POST ${realtimePath}`, { url, timeout_ms: 5_000 }),
    account.callWithoutRetry('POST /v1/extract', { url, timeout: 5_000 }),
  ]
  await site.untilHeld('/page', 2)
  const listener = await listenToEvents(t, service.url, { 'x-api-key': account.apiKey }, 'tasks')
  // Lists have them, so they are written now.
  await account.call('GET /v1/tasks')

  await rename(file, `${file}.away`)
  const refused = await Promise.all(calls)
  const told = await listener.untilEvent('task', ({ status }) => status === 'cancelled')
  await rename(`${file}.away`, file)

  assert.ok(told.task_id)
  for (const answer of refused) assertFailure(answer, 'STORE_UNAVAILABLE')
  await until(async () => {
    const { tasks } = (await account.call('GET /v1/tasks?status=cancelled')).json()
    return tasks.some(({ kind }: { kind: string }) => kind === 'realtime')
  })
})

test('a caller whose POST was sent is not advised to retry while the store is away', async (t) => {
  const service = await startTestService(t, {
    environment: { ...reachingLoopback, TRAWL_LEASE: '1s' },
  })
  const account = await service.createAccount()
  const site = await startHoldingSite(t)
  const file = join(service.dataDir, 'trawl.db')
  const order = { url: site.url('/order'), method: 'POST', body: {}, timeout: 1_000 }
  const call = account.callWithoutRetry('POST /v1/extract', order)
  await site.untilHeld('/order')

  await rename(file, `${file}.away`)
  const answer = await call
  await rename(`${file}.away`, file)

  assert.equal(answer.statusCode, 422, answer.text)
  assert.match(answer.text, /may have been sent/)
  assert.equal(site.heldAt('/order').length, 1)
})

const refuseTasks = script(`
  create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger refuse before insert on tasks for each row execute function refuse()`)

test('a store without space for a task that has begun: 503 at its limit, the next at once, lists are read', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, { kind: 'postgres', environment: reachingLoopback })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  const scrape = (path: string) =>
    account.callWithoutRetry(`POST ${realtimePath}`, {
      url: site.url(path),
      timeout_ms: 1_000,
    })
  const before = scrape('/before')
  ;(await site.untilHeld('/before')).answer()
  assert.equal((await before).statusCode, 200)

  await db.run(refuseTasks)
  const begun = scrape('/begun')
  ;(await site.untilHeld('/begun')).answer()
  assertFailure(await begun, 'STORE_FULL')
  assertFailure(await scrape('/next'), 'STORE_FULL')
  const list = await account.callWithoutRetry('GET /v1/tasks')
  await db.run(script('drop trigger refuse on tasks'))
  const after = scrape('/after')
  ;(await site.untilHeld('/after')).answer()

  assert.deepEqual([list.statusCode, (await after).statusCode], [200, 200])
  assert.equal(site.heldAt('/next').length, 0)
})

test('a POST that the store has no space for is not sent, and its caller may retry: 503', async (t) => {
  const site = await startHoldingSite(t)
  const service = await startTestService(t, { kind: 'postgres', environment: reachingLoopback })
  const account = await service.createAccount()
  const { db } = await service.openBeside()
  await db.run(refuseTasks)

  const order = { url: site.url('/order'), method: 'POST', body: {}, timeout: 1_000 }
  const answer = await account.callWithoutRetry('POST /v1/extract', order)
  await db.run(script('drop trigger refuse on tasks'))

  assertFailure(answer, 'STORE_FULL')
  assert.equal(site.heldAt('/order').length, 0)
})

import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { z } from 'zod'
import type { Drain } from '../../src/http/app.ts'
import { defineRoute } from '../../src/http/route.ts'
import { routes } from '../../src/http/routes.ts'
import { startHttpServer } from '../../src/http/server.ts'
import { createMetrics } from '../../src/runtime/metrics.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { healthy, useCasesWith } from '../support/test-app.ts'
import { silentLog } from '../support/test-store.ts'
import { until } from '../support/until.ts'

/** A server with one route that responds when the test says so. */
async function startSlowServer(t: TestContext) {
  const began = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const slow = defineRoute('service', {
    operationId: 'slow',
    request: 'GET /slow',
    summary: 'For tests',
    response: { status: 200, description: 'At last.', body: z.object({ done: z.boolean() }) },
    async handle() {
      began.resolve()
      await finish.promise
      return { done: true }
    },
  })
  const drain: Drain = { isDraining: false, isRefusing: false }
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    drain,
    drainDelayMs: 0,
    inFlightMsMax: 25_000,
    onRefusing: () => undefined,
    routes: [...routes, slow],
    useCases: {
      ...useCasesWith({}),
      healthFacts: async () => ({ ...healthy, isDraining: drain.isDraining }),
    },
    bodyBytesMax: 1024,
    trustProxy: [],
    allowedHosts: [],
    connectionsMax: 1_000,
    requestTimeoutMs: 30_000,
    log: silentLog,
    metrics: createMetrics({ storeClockOffsetMs: () => 0 }),
  })
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  return { server, drain, agent, began: began.promise, finish: finish.resolve }
}

async function read(url: string, agent: Agent) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(url, { agent }, resolve).on('error', reject),
  )
  const chunks = await answer.toArray()
  return {
    statusCode: answer.statusCode ?? 0,
    headers: answer.headers,
    json: () => JSON.parse(Buffer.concat(chunks).toString()),
  }
}

test('a stopping server finishes open requests and refuses new ones with 503', async (t) => {
  const { server, drain, agent, began, finish } = await startSlowServer(t)
  const inFlight = read(`${server.url}/slow`, agent)
  await began

  const stopped = server[Symbol.asyncDispose]()
  assert.equal(drain.isDraining, true)
  // After two turns of the event loop the delay of 0 ms is over and new requests are refused.
  await new Promise((resolve) => setTimeout(resolve, 5))
  const late = await read(`${server.url}/slow`, new Agent())
  assertFailure(late, 'SHUTTING_DOWN')
  assert.equal(late.headers['connection'], 'close')

  finish()
  const answered = await inFlight
  await stopped
  assert.equal(answered.statusCode, 200)
  assert.deepEqual(answered.json(), { done: true })
  await assert.rejects(read(`${server.url}/slow`, new Agent()), { code: 'ECONNREFUSED' })
})

test('a draining server answers every service route with a documented body', async (t) => {
  const { server, agent, began, finish } = await startSlowServer(t)
  const inFlight = read(`${server.url}/slow`, agent)
  await began
  const drained = server.drain()
  await until(
    async () => (await read(`${server.url}/capabilities`, new Agent())).statusCode === 503,
  )
  const ask = (path: string) => read(server.url + path, new Agent())

  for (const { path } of routes.filter(({ family }) => family === 'service')) {
    const answer = await ask(path)
    assert.equal(answer.headers['connection'], 'close', path)
    if (['/livez', '/health', '/metrics'].includes(path)) assert.equal(answer.statusCode, 200, path)
    else if (path !== '/readyz') assertFailure(answer, 'SHUTTING_DOWN')
  }
  for (const path of ['/readyz', '/readyz?verbose']) {
    const answer = await ask(path)
    const { status, checks, ...error } = answer.json()
    assert.equal(status, 'not_ready')
    assert.equal(checks?.accepting.ok, path === '/readyz' ? undefined : false)
    assertFailure({ ...answer, json: () => error }, 'SHUTTING_DOWN')
  }
  assertFailure(await ask('/nope'), 'SHUTTING_DOWN')
  assertFailure(await ask('/v1/webhooks'), 'SHUTTING_DOWN')
  assert.deepEqual((await ask('/livez')).json(), { status: 'alive' })

  finish()
  assert.equal((await inFlight).statusCode, 200)
  await drained
  assert.equal((await ask('/livez')).statusCode, 200, 'drained, and not yet closed')
  assert.equal((await ask('/readyz')).statusCode, 503)
  await server[Symbol.asyncDispose]()
  await assert.rejects(ask('/livez'), { code: 'ECONNREFUSED' })
})

test('an idle keep-alive connection does not delay the shutdown', async (t) => {
  const { server, agent, finish } = await startSlowServer(t)
  finish()
  await read(`${server.url}/slow`, agent)

  await server[Symbol.asyncDispose]()
})

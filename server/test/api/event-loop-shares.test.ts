import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { startTestService, type TestAccount } from '../support/test-service.ts'
import { until } from '../support/until.ts'

const requestsCount = 60
const readsCount = 10

/** Each takes milliseconds to validate, as all its patterns are compiled. */
const slowToValidate = {
  url: 'ftp://refused.example/',
  configurations: {
    HTMLMinifier: {
      useMinifier: true,
      ignoreCustomComments: [1, 2, 3, 4].map((end) => `/${String.raw`\W`.repeat(238)}${end}/i`),
    },
  },
}

const manyUnknownFields = Object.fromEntries(
  Array.from({ length: 15_000 }, (_, index) => [`k${index}`, {}]),
)

interface Sender {
  url: string
  greedy: TestAccount
}

interface Flood {
  send(sender: Sender): Promise<{ statusCode: number }>
  status: number
}

/** Requests that take long, though none waits for anything. */
const floods: Record<string, Flood> = {
  'requests that take long to validate': {
    send: ({ greedy }) => greedy.callWithoutRetry('POST /v1/extract', slowToValidate),
    status: 422,
  },
  'bodies of callers without an account': {
    send: ({ url }) => callApi(url, 'POST /v1/session', { body: manyUnknownFields }),
    status: 422,
  },
}

for (const [name, { send, status }] of Object.entries(floods)) {
  test(`${name} do not hold up those of another account`, async (t) => {
    const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
    const [greedy, other] = [await service.createAccount(), await service.createAccount()]
    const sender = { url: service.url, greedy }
    await send(sender)
    await other.callWithoutRetry('GET /v1/webhooks')

    let doneCount = 0
    const requests = Array.from({ length: requestsCount }, async () => {
      const { statusCode } = await send(sender)
      assert.equal(statusCode, status)
      doneCount += 1
    })
    // By then all of them have arrived.
    await until(() => doneCount > 0)
    const before = doneCount
    for (let read = 0; read < readsCount; read += 1) {
      const { statusCode } = await other.callWithoutRetry('GET /v1/webhooks')
      assert.equal(statusCode, 200)
    }
    const meanwhile = doneCount - before
    await Promise.all(requests)

    assert.ok(meanwhile < readsCount, `${meanwhile} were handled meanwhile`)
  })
}

test('MCP messages of an account leave most of the event loop to another that is served', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const [greedy, other] = [await service.createAccount(), await service.createAccount()]
  const listTools = () =>
    callApi(service.url, 'POST /mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      headers: { 'x-api-key': greedy.apiKey, accept: 'application/json, text/event-stream' },
    })
  await listTools()
  await other.callWithoutRetry('GET /v1/webhooks')

  const startedAtMs = performance.now()
  const answers = await Promise.all(Array.from({ length: requestsCount }, listTools))
  const tookMs = performance.now() - startedAtMs

  assert.ok(answers.every(({ statusCode }) => statusCode === 200))
  // Each counts as more than a millisecond, and five times as much is left to the other.
  assert.ok(tookMs > 5 * (requestsCount - 2), `took ${tookMs} ms`)
})

import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { type TestContext, test } from 'node:test'
import {
  type ForbiddenUrl,
  forbiddenNames,
  forbiddenUrls,
  loopback,
} from '../support/forbidden-addresses.ts'
import { startTestDns } from '../support/test-dns.ts'
import { listenOn } from './listeners.ts'
import { allowing, closed, openClient, problemOf, type TestClient } from './outbound-client.ts'

// Link-local addresses need a zone, which no URL has.
const ownAddresses = Object.values(networkInterfaces())
  .flatMap((interfaces) => interfaces ?? [])
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  .map(({ address }) => address)

const names = forbiddenNames(ownAddresses)
const everyUrl: ForbiddenUrl[] = [
  ...forbiddenUrls(ownAddresses),
  ...names.map(({ name, reaches }) => ({
    url: (port: number) => `http://${name}:${port}/`,
    reaches,
  })),
]

async function start(t: TestContext, rules: typeof closed) {
  const dns = await startTestDns(
    t,
    Object.fromEntries(names.map(({ name, reply }) => [name, reply])),
  )
  const listeners = await listenOn(t, [...loopback, ...ownAddresses])
  return { client: openClient(t, rules, { dns }), listeners }
}

/** A few at a time: the tests' DNS drops questions like any other when a thousand come at once. */
async function inTurns<Item>(items: readonly Item[], act: (item: Item) => Promise<void>) {
  const left = [...items]
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

async function assertRefused(client: TestClient, url: string): Promise<void> {
  for (const purpose of ['target', 'callback'] as const) {
    const error = await problemOf(client.send(url, { purpose }))
    assert.equal(error.problem, 'not_allowed', `${url} as ${purpose}: ${error.stack}`)
    // A callback URL with credentials is refused for them, whatever the address is.
    const hasCredentials = purpose === 'callback' && new URL(url).username !== ''
    assert.equal(
      error.message,
      hasCredentials
        ? 'A callback URL may not have a user name or password, as logs and lists show it.'
        : 'This service may not reach that URL; its operator can open private addresses with TRAWL_EGRESS_ALLOW.',
    )
    assert.equal(error.cause, undefined)
  }
}

test(`none of ${everyUrl.length} spellings of forbidden addresses leads to a connection`, async (t) => {
  const { client, listeners } = await start(t, {
    ...closed,
    ownAddresses: () => new Set(ownAddresses),
  })
  const urls = everyUrl.map(({ url }) => url(listeners.port))
  const parsed = urls.filter((url) => URL.canParse(url))
  assert.ok(new Set(parsed).size >= 600, `${new Set(parsed).size} spellings are URLs at all`)

  await inTurns(parsed, (url) => assertRefused(client, url))

  for (const [address, count] of await listeners.counted()) assert.equal(count, 0, address)
})

test('with every address allowed the same spellings do connect, so the test above can fail', async (t) => {
  const { client, listeners } = await start(t, allowing('0.0.0.0/0', '::/0'))
  const reachable = everyUrl.filter(
    ({ url, reaches }) => reaches !== undefined && URL.canParse(url(listeners.port)),
  )
  let answered = 0

  await inTurns(reachable, async ({ url }) => {
    const answer = await client.send(url(listeners.port)).catch((error: Error) => {
      throw new Error(`${url(listeners.port)} was not reached`, { cause: error })
    })
    assert.equal(answer.statusCode, 200)
    answered += 1
  })

  assert.ok(answered >= 170, `${answered} spellings were answered`)
  const counted = await listeners.counted()
  for (const address of loopback) assert.ok((counted.get(address) ?? 0) >= 20, address)
  assert.equal(
    [...counted.values()].reduce((sum, count) => sum + count, 0),
    answered,
  )
})

test('only the allowed addresses of a name are dialled', async (t) => {
  const dns = await startTestDns(t, {
    'mixed.example.com': { addresses: ['127.0.0.1', '127.8.8.8', '::1'], ttl: 0 },
  })
  const listeners = await listenOn(t, loopback)
  const blocked: string[] = []
  const client = openClient(t, allowing('127.8.8.8'), {
    dns,
    onBlocked: (purpose, reason) => blocked.push(`${purpose} ${reason}`),
  })

  const answer = await client.send(`http://mixed.example.com:${listeners.port}/`)

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(blocked, ['target resolved_address'])
  assert.deepEqual(Object.fromEntries(await listeners.counted()), {
    '127.0.0.1': 0,
    '127.8.8.8': 1,
    '::1': 0,
  })
})

test('a name that resolves to a forbidden address later is refused (DNS rebinding)', async (t) => {
  const trials = 150
  const dns = await startTestDns(t)
  const listeners = await listenOn(t, loopback)
  const client = openClient(t, allowing('127.8.8.8'), { dns })
  for (let trial = 0; trial < trials; trial++) {
    // An allowed address for the first questions, as many as a check might ask, then a forbidden one.
    dns.set(`rebind-${trial}.example.com`, ({ before }) => ({
      addresses: before <= trial % 3 ? ['127.8.8.8'] : ['127.0.0.1', '::1'],
      ttl: 0,
    }))
  }

  await inTurns(Array.from({ length: trials }).keys().toArray(), async (trial) => {
    const url = `http://rebind-${trial}.example.com:${listeners.port}/`
    for (let visit = 0; visit < 4; visit++) {
      const outcome = await client.send(url).then(
        ({ statusCode }) => statusCode,
        (error: { problem: string }) => error.problem,
      )
      assert.equal(outcome, visit <= trial % 3 ? 200 : 'not_allowed')
    }
  })

  const counted = await listeners.counted()
  assert.equal(counted.get('127.0.0.1'), 0)
  assert.equal(counted.get('::1'), 0)
  assert.equal(counted.get('127.8.8.8'), 2 * trials)
})

import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { assertFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

/** Sends a request from this address; all of 127.0.0.0/8 is this machine. */
async function askFrom(
  localAddress: string,
  url: string,
  headers: Record<string, string>,
): Promise<{ statusCode: number; headers: Record<string, unknown>; json(): unknown }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    request(`${url}/v1/webhooks`, { localAddress, headers }, resolve).on('error', reject).end(),
  )
  const text = Buffer.concat(await answer.toArray()).toString()
  return {
    statusCode: answer.statusCode ?? 0,
    headers: answer.headers,
    json: () => JSON.parse(text),
  }
}

onBothStores((kind, start) => {
  test(`${kind}: 1 000 wrong guesses a minute rate limit an address, but no valid credentials`, async (t) => {
    const environment = { TRAWL_TRUST_PROXY: '127.0.0.2' }
    const { url, createAccount } = await start(t, { environment })
    const { apiKey } = await createAccount()
    const right = { 'x-api-key': apiKey }
    const wrong = { 'x-api-key': 'wrong' }
    const from = (name: string) => ({ ...wrong, 'x-forwarded-for': name })
    for (let missing = 0; missing < 5; missing++) await askFrom('127.0.0.1', url, {})

    const statuses = new Map<number, number>()
    for (let asked = 0; asked < 1000; asked += 50) {
      // Forwarding headers do not count; the address of the socket does.
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          askFrom('127.0.0.1', url, from(`203.0.113.${index}`)),
        ),
      )
      for (const { statusCode } of answers) {
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
      }
    }

    assert.deepEqual([...statuses], [[401, 1000]])
    assertFailure(await askFrom('127.0.0.1', url, wrong), 'RATE_LIMITED')
    assertFailure(await askFrom('127.0.0.1', url, from('203.0.113.1')), 'RATE_LIMITED')
    assert.equal((await askFrom('127.0.0.1', url, right)).statusCode, 200)
    assertFailure(await askFrom('127.0.0.1', url, {}), 'UNAUTHORIZED')

    // A trusted proxy's X-Forwarded-For is read from the right.
    assertFailure(await askFrom('127.0.0.2', url, from('203.0.113.1')), 'UNAUTHORIZED')
    assertFailure(await askFrom('127.0.0.2', url, from('127.0.0.1')), 'RATE_LIMITED')
    assertFailure(await askFrom('127.0.0.2', url, from('203.0.113.1, 127.0.0.1')), 'RATE_LIMITED')
    assertFailure(await askFrom('127.0.0.2', url, from('127.0.0.1, 203.0.113.1')), 'UNAUTHORIZED')
  })
})

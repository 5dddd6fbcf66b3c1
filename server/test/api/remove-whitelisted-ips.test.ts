import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertTextFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const path = '/api/configuration/active/whitelisted-ips'
const three = [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }, { ip: '192.0.2.3' }]

const badBodies: unknown[] = [
  undefined,
  '{',
  {},
  { ip: '192.0.2.1' },
  { ips: [] },
  { ips: ['192.0.2.1'] },
  { ips: [{}] },
  { ips: [{ ip: 'x' }] },
  { ips: Array.from({ length: 11 }, (_, index) => ({ ip: `192.0.2.${index}` })) },
]

onBothStores((kind, start) => {
  test(`${kind}: removing whitelisted addresses`, async (t) => {
    const { url, createAccount } = await start(t)

    await t.test('removing addresses returns the remaining list and a message', async () => {
      const account = await createAccount()
      const [, second] = (await account.call(`POST ${path}`, { ips: three })).json().data

      const answer = await account.call(`DELETE ${path}`, {
        ips: [{ ip: '192.0.2.3' }, { ip: '::ffff:192.0.2.1', description: 'ignored' }],
      })

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), {
        data: [second],
        message: { title: 'Updated', body: 'Whitelisted IPs removed.', variant: 'success' },
      })
      assert.deepEqual((await account.call(`GET ${path}`)).json(), { data: [second] })
    })

    await t.test('an address named twice is removed once', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: three })

      const answer = await account.call(`DELETE ${path}`, {
        ips: [{ ip: '192.0.2.1' }, { ip: '::ffff:192.0.2.1' }],
      })

      assert.equal(answer.statusCode, 200)
      assert.equal(answer.json().data.length, 2)
    })

    await t.test('a removed address can be added again as the newest', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: three })
      await account.call(`DELETE ${path}`, { ips: [{ ip: '192.0.2.1' }] })

      const { data } = (await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.1' }] })).json()

      const listed = data.map(({ ip }: { ip: string }) => ip)
      assert.deepEqual(listed, ['192.0.2.2', '192.0.2.3', '192.0.2.1'])
    })

    await t.test('removing with invalid input gets 400 and changes nothing', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: three })

      for (const body of badBodies) {
        const answer = await account.call(`DELETE ${path}`, body)
        assert.equal(answer.statusCode, 400, JSON.stringify(body))
        assertTextFailure(answer, 'VALIDATION_ERROR')
      }

      assert.equal((await account.call(`GET ${path}`)).json().data.length, 3)
    })

    await t.test('removing addresses without credentials gets 401', async () => {
      assertTextFailure(
        await callApi(url, `DELETE ${path}`, { body: { ips: three } }),
        'UNAUTHORIZED',
      )
    })

    await t.test('removing an address that is not listed gets 404 and removes none', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: three })

      const answer = await account.call(`DELETE ${path}`, {
        ips: [{ ip: '192.0.2.1' }, { ip: '192.0.2.99' }],
      })

      const { message } = assertTextFailure(answer, 'NOT_FOUND')
      assert.doesNotMatch(String(message), /192/)
      assert.equal((await account.call(`GET ${path}`)).json().data.length, 3)
    })
  })
})

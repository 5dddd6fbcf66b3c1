import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertTextFailure } from '../support/error-bodies.ts'
import { onBothStores } from '../support/test-service.ts'

const path = '/api/configuration/active/whitelisted-ips'

const badBodies: unknown[] = [
  undefined,
  '{',
  {},
  { ip: '192.0.2.1' },
  { description: 'new' },
  { ip: '192.0.2.1', description: null },
  { ip: '192.0.2.1', description: ['new'] },
  { ip: '192.0.2.1', description: 'x'.repeat(256) },
  { ip: '192.0.2.1', description: 'a\0b' },
  { ip: '192.0.2.1.5', description: 'new' },
  { ip: null, description: 'new' },
  { ips: [{ ip: '192.0.2.1', description: 'new' }] },
]

onBothStores((kind, start) => {
  test(`${kind}: updating a whitelisted address`, async (t) => {
    const { url, createAccount } = await start(t)

    await t.test('updating a description returns the whole list and a message', async () => {
      const account = await createAccount()
      const added = await account.call(`POST ${path}`, {
        ips: [{ ip: '192.0.2.1', description: 'old' }, { ip: '192.0.2.2' }],
      })
      const [first, second] = added.json().data

      const answer = await account.call(`PUT ${path}`, { ip: '192.0.2.1', description: 'new' })

      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), {
        data: [{ ...first, description: 'new' }, second],
        message: { title: 'Updated', body: 'Whitelisted IPs updated.', variant: 'success' },
      })
      assert.deepEqual((await account.call(`GET ${path}`)).json().data, answer.json().data)
    })

    await t.test(
      'an entry is found by another spelling, and its description can be emptied',
      async () => {
        const account = await createAccount()
        await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.0/24', description: 'old' }] })

        const answer = await account.call(`PUT ${path}`, { ip: '192.0.2.9/24', description: '' })

        const [entry] = answer.json().data
        assert.deepEqual([entry.ip, entry.description], ['192.0.2.0/24', ''])
      },
    )

    await t.test('updating with invalid input gets 400 and changes nothing', async () => {
      const account = await createAccount()
      await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.1', description: 'old' }] })

      for (const body of badBodies) {
        const answer = await account.call(`PUT ${path}`, body)
        assert.equal(answer.statusCode, 400, JSON.stringify(body))
        assertTextFailure(answer, 'VALIDATION_ERROR')
      }

      const [entry] = (await account.call(`GET ${path}`)).json().data
      assert.equal(entry.description, 'old')
    })

    await t.test('updating a whitelisted address without credentials gets 401', async () => {
      const body = { ip: '192.0.2.1', description: 'new' }

      assertTextFailure(await callApi(url, `PUT ${path}`, { body }), 'UNAUTHORIZED')
    })

    await t.test(
      'updating an address that is only inside a wider listed block gets 404',
      async () => {
        const account = await createAccount()
        await account.call(`POST ${path}`, { ips: [{ ip: '192.0.2.0/24' }] })

        const answer = await account.call(`PUT ${path}`, { ip: '192.0.2.1', description: 'new' })

        const { message } = assertTextFailure(answer, 'NOT_FOUND')
        assert.doesNotMatch(String(message), /192/)
      },
    )
  })
})

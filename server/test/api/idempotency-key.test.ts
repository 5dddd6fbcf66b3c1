import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/storage/statement.ts'
import { callApi } from '../support/call-api.ts'
import { assertFailure, faultsIn } from '../support/error-bodies.ts'
import { callWithRetry } from '../support/retry-while-unavailable.ts'
import { callbackPath, closedPortUrl, reachingLoopback } from '../support/scrape-calls.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

const ask = `POST ${callbackPath}`

onBothStores((kind, start) => {
  test(`${kind}: repeating a submission under an idempotency key`, async (t) => {
    const service = await start(t, { environment: reachingLoopback })
    const site = await startTestSite(t)
    const account = await service.createAccount()
    const body = { url: site.url('/'), callbackUrl: closedPortUrl }

    const submitAs = (from: TestAccount, key: string, given: unknown = body) =>
      callWithRetry(() =>
        callApi(service.url, ask, {
          headers: { 'x-api-key': from.apiKey, 'idempotency-key': key },
          body: given,
        }),
      )
    const countOf = async (from: TestAccount) =>
      (await from.call(`GET ${callbackPath}`)).json().items.length

    await t.test('a repeated key replays the first 202, however JSON is formatted', async () => {
      const caller = await service.createAccount()
      const metadata = { b: [1, { d: 1, c: null }], a: 'x' }
      const respelt = `{ "metadata": {"a":"\\u0078", "b":[1.0, {"c":null,"d":1}]},
        "callbackUrl":${JSON.stringify(closedPortUrl)},\t"url":${JSON.stringify(body.url)} }`

      const first = await submitAs(caller, 'key', { ...body, metadata })
      const again = await submitAs(caller, 'key', respelt)
      const quoted = await submitAs(caller, '"key"', { ...body, metadata })

      assert.equal(first.headers['idempotency-replayed'], undefined)
      for (const replay of [again, quoted]) {
        assert.equal(replay.statusCode, 202)
        assert.equal(replay.text, first.text)
        assert.equal(replay.headers['location'], first.headers['location'])
        assert.equal(replay.headers['idempotency-replayed'], 'true')
      }
      assert.equal(await countOf(caller), 1)
    })

    await t.test('another body under the same idempotency key gets 422', async () => {
      await submitAs(account, 'one body')

      for (const other of [
        { ...body, timeout_ms: 5000 },
        { ...body, metadata: {} },
      ]) {
        const answer = await submitAs(account, 'one body', other)
        assert.deepEqual(faultsIn(answer), ['header.idempotency-key value_error'])
      }
    })

    await t.test('an invalid idempotency key gets 422', async () => {
      for (const key of ['', '""', 'x'.repeat(256), 'caf\xe9']) {
        const answer = await submitAs(account, key)
        assert.deepEqual(faultsIn(answer), ['header.idempotency-key string_pattern_mismatch'])
      }
    })

    await t.test('100 concurrent requests under one idempotency key create one task', async () => {
      const caller = await service.createAccount()

      const answers = await Promise.all(
        Array.from({ length: 100 }, () => submitAs(caller, 'at once')),
      )

      const replays = answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')
      assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [202])
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(replays.length, 99)
      assert.equal(await countOf(caller), 1)
    })

    await t.test('accounts do not share idempotency keys', async () => {
      const [one, other] = [await service.createAccount(), await service.createAccount()]

      const first = await submitAs(one, 'shared')
      const second = await submitAs(other, 'shared', { ...body, timeout_ms: 5000 })

      assert.equal(second.statusCode, 202)
      assert.equal(second.headers['idempotency-replayed'], undefined)
      assert.notEqual(second.json().requestId, first.json().requestId)
    })

    await t.test('an idempotency key can be reused after 24 hours', async () => {
      const { db } = await service.openBeside()
      const age = (hours: number) =>
        db.run(sql`
          update idempotency_records set created_at_ms = created_at_ms - ${hours * 3_600_000}
          where idempotency_key = 'of age'`)
      const first = await submitAs(account, 'of age')

      await age(23.9)
      const replay = await submitAs(account, 'of age')
      await age(0.2)
      const fresh = await submitAs(account, 'of age', { ...body, timeout_ms: 5000 })

      assert.equal(replay.json().requestId, first.json().requestId)
      assert.equal(fresh.statusCode, 202)
      assert.equal(fresh.headers['idempotency-replayed'], undefined)
      assert.notEqual(fresh.json().requestId, first.json().requestId)
    })

    await t.test('a refused body does not use up its idempotency key', async () => {
      const caller = await service.createAccount()

      assertFailure(await submitAs(caller, 'mended', { url: body.url }), 'VALIDATION_ERROR')
      const mended = await submitAs(caller, 'mended')

      assert.equal(mended.statusCode, 202)
      assert.equal(mended.headers['idempotency-replayed'], undefined)
    })

    await t.test('an unknown field may be nested as deep as a body can be', async () => {
      const deep = `${'['.repeat(990)}${']'.repeat(990)}`
      const text = `{"deep":${deep},${JSON.stringify(body).slice(1)}`

      const first = await submitAs(account, 'deep', text)
      const again = await submitAs(account, 'deep', text)

      assert.equal(first.statusCode, 202, first.text)
      assert.equal(again.json().requestId, first.json().requestId)
    })
  })
})

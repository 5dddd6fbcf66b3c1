import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const batchesCount = 12

onBothStores((kind, start) => {
  test(`${kind}: many large batches at once do not keep the batch of another account from being accepted`, async (t) => {
    // Nothing runs: only accepting takes time.
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const [greedy, other] = [await service.createAccount(), await service.createAccount()]
    const submit = async (account: TestAccount, pagesCount: number) => {
      const urls = Array(pagesCount).fill('https://pages.example/')
      const response = await account.call('POST /v1/batch', { urls })
      assert.equal(response.statusCode, 202, response.text)
    }
    // So that its key is known.
    await submit(other, 1)

    let acceptedCount = 0
    const batches = Array.from({ length: batchesCount }, async () => {
      await submit(greedy, 300)
      acceptedCount += 1
    })
    await Promise.race(batches)
    await submit(other, 1)
    const acceptedBefore = acceptedCount

    await Promise.all(batches)
    assert.ok(acceptedBefore < batchesCount / 2, `${acceptedBefore} were accepted before it`)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachTurn } from '../support/each-turn.ts'
import { onBothStores, type TestAccount } from '../support/test-service.ts'

const batchesCount = 12

onBothStores((kind, start) => {
  test(`${kind}: others have turns while a large batch is accepted`, async (t) => {
    const service = await start(t, { environment: { TRAWL_ROLES: 'api' } })
    const account = await service.createAccount()
    const urls = Array(1_000).fill('https://pages.example/')
    // Each turn of the work is over after a few looks at this clock.
    let nowMs = performance.now()
    t.mock.method(performance, 'now', () => nowMs++)
    const [checks, texts] = [t.mock.method(URL, 'parse'), t.mock.method(JSON, 'stringify')]
    const inOneTurn = { checks: 0, texts: 0 }
    onEachTurn(t, () => {
      inOneTurn.checks = Math.max(inOneTurn.checks, checks.mock.callCount())
      inOneTurn.texts = Math.max(inOneTurn.texts, texts.mock.callCount())
      for (const { mock } of [checks, texts]) mock.resetCalls()
    })

    const { statusCode, text } = await account.call('POST /v1/batch', { urls })

    assert.equal(statusCode, 202, text)
    assert.ok(
      inOneTurn.checks > 0 && inOneTurn.checks < 100,
      `${inOneTurn.checks} URLs in one turn`,
    )
    assert.ok(
      inOneTurn.texts > 0 && inOneTurn.texts < 1_000,
      `${inOneTurn.texts} texts in one turn`,
    )
  })

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

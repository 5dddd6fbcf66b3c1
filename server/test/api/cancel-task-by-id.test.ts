import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TaskDetails } from '../../src/wire/tasks/responses.ts'
import { countsOf, submitBatch, untilBatchEnded } from '../support/batch-calls.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { extract, failureIn, submitExtraction } from '../support/extract-calls.ts'
import { startHoldingSite } from '../support/holding-site.ts'
import { getStatus, reachingLoopback, submitTask } from '../support/scrape-calls.ts'
import { onBothStores } from '../support/test-service.ts'
import { until } from '../support/until.ts'

onBothStores((kind, start) => {
  test(`${kind}: cancelling a task of any kind`, async (t) => {
    const held = await startHoldingSite(t)
    const service = await start(t, { environment: reachingLoopback })
    const account = await service.createAccount()
    const cancel = async (id: string) => {
      const response = await account.call(`DELETE /v1/tasks/${id}`)
      assert.equal(response.statusCode, 202, response.text)
      return TaskDetails.strict().parse(response.json())
    }
    const idOf = async (query: string) =>
      (await account.call(`GET /v1/tasks?${query}`)).json().tasks[0].id as string

    await t.test('an extraction is cancelled once, and its target hung up on', async () => {
      const id = await submitExtraction(account, { url: held.url('/extract') })
      const request = await held.untilHeld('/extract')

      const { status, error } = await cancel(id)

      assert.deepEqual({ status, error }, { status: 'cancelled', error: null })
      assertFailure(await account.call(`DELETE /v1/tasks/${id}`), 'CONFLICT')
      await until(() => request.isLeft())
    })

    await t.test('a caller who waits for the task is told', async () => {
      const waiting = extract(account, { url: held.url('/sync') })
      await held.untilHeld('/sync')

      await cancel(await idOf('url=/sync'))

      assert.equal(failureIn(await waiting).error.code, 'CANCELLED')
    })

    await t.test('a callback task sends no callback', async () => {
      const id = await submitTask(account, { url: held.url('/callback') })
      await held.untilHeld('/callback')

      await cancel(id)

      assert.equal((await getStatus(account, id)).delivery?.status, 'skipped')
    })

    await t.test('a page of a batch counts as cancelled, and the batch goes on', async () => {
      const urls = [held.url('/cod'), held.url('/pike')]
      const { job_id } = await submitBatch(account, { urls })
      await held.untilHeld('/cod')
      const other = await held.untilHeld('/pike')

      const { status } = await cancel(await idOf(`job=${job_id}&url=/cod`))
      other.answer()

      assert.equal(status, 'cancelled')
      assert.deepEqual(countsOf(await untilBatchEnded(account, job_id)), [1, 0, 1, 0])
    })
  })
})

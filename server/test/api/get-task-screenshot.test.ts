import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callApi } from '../support/call-api.ts'
import { assertFailure } from '../support/error-bodies.ts'
import {
  callbackPath,
  reachingLoopback,
  scrapeNow,
  submitTask,
  unknownIds,
  untilStatus,
} from '../support/scrape-calls.ts'
import { startTestService } from '../support/test-service.ts'
import { startTestSite } from '../support/test-site.ts'

test('the screenshot of a task', async (t) => {
  const site = await startTestSite(t)
  const { url, createAccount } = await startTestService(t, { environment: reachingLoopback })
  const account = await createAccount()
  const ask = (id: string) => account.call(`GET ${callbackPath}/${id}/screenshot`)

  await t.test('404: a task without one, whatever became of it', async () => {
    const open = await submitTask(account, { url: site.url('/silent') })
    const completed = await submitTask(account, { url: site.url('/') })
    const realtime = await scrapeNow(account, { url: site.url('/') })
    await untilStatus(account, completed, 'completed')

    for (const id of [open, completed, realtime.headers['x-request-id'] ?? '']) {
      assertFailure(await ask(id), 'NOT_FOUND')
    }
  })

  await t.test('404: whatever is not the id of a task', async () => {
    for (const id of unknownIds) assertFailure(await ask(id), 'NOT_FOUND')
  })

  await t.test('401: nobody in particular', async () => {
    const answer = await callApi(url, `GET ${callbackPath}/${unknownIds[0]}/screenshot`)

    assertFailure(answer, 'UNAUTHORIZED')
    assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /)
  })
})

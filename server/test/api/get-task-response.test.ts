import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TargetResponse } from '../../src/wire/tasks/responses.ts'
import { assertFailure } from '../support/error-bodies.ts'
import { extract } from '../support/extract-calls.ts'
import { startPageSite } from '../support/page-site.ts'
import { reachingLoopback, unknownIds } from '../support/scrape-calls.ts'
import { startStubWorker } from '../support/stub-worker.ts'
import { ageTask } from '../support/task-age.ts'
import { startTestService } from '../support/test-service.ts'

test('a page without a browser shows its headers and its request', async (t) => {
  const site = await startPageSite(t)
  site.page('/', '<p>cod</p>')
  const service = await startTestService(t, { environment: reachingLoopback })
  const account = await service.createAccount()
  const { headers } = await extract(account, { url: site.url('/') })

  const answer = await account.call(`GET /v1/tasks/${headers['x-job-id']}/response`)

  const shown = TargetResponse.strict().parse(answer.json())
  assert.equal(shown.url, site.url('/'))
  assert.equal(shown.http_status, 200)
  assert.match(shown.headers['content-type'] ?? '', /^text\/html/)
  assert.deepEqual(
    shown.requests?.map(({ url, type, started_ms }) => [url, type, started_ms]),
    [[site.url('/'), 'document', 0]],
  )
  assert.equal(shown.console, null)
})

test('what the target answered', async (t) => {
  const service = await startTestService(t, { environment: { TRAWL_ROLES: 'api' } })
  const desk = await startStubWorker(t, service)
  const account = await service.createAccount()
  const getResponse = (id: string) => account.call(`GET /v1/tasks/${id}/response`)
  const request = {
    url: 'http://user:hidden@target.test/a.js',
    type: 'script',
    statusCode: null,
    bytes: 0,
    startedMs: 12.34,
    durationMs: 3.21,
    isBlocked: true,
  }

  await t.test('requests and console are there if they were recorded', async () => {
    const recorded = await desk.finishTask(account, {
      kind: 'realtime',
      page: { requests: [request], console: [{ level: 'log', text: 'cod' }] },
    })
    const plain = await desk.finishTask(account, { kind: 'realtime' })

    const shown = (await getResponse(recorded)).json()
    assert.deepEqual(shown.requests, [
      {
        url: 'http://target.test/a.js',
        type: 'script',
        http_status: null,
        bytes: 0,
        started_ms: 12.3,
        duration_ms: 3.2,
        is_blocked: true,
      },
    ])
    assert.deepEqual(shown.console, [{ level: 'log', text: 'cod' }])
    const { requests, console } = (await getResponse(plain)).json()
    assert.deepEqual([requests, console], [null, null])
  })

  await t.test('a task that is open, failed, expired or unknown has none', async () => {
    const open = await desk.createOpenTask(account)
    const failed = await desk.finishTask(account, {
      error: { code: 'TARGET_TIMEOUT', message: 'Too slow.' },
    })
    const expired = await desk.finishTask(account, { kind: 'realtime' })
    await ageTask((await service.openBeside()).db, expired, 73)

    assertFailure(await getResponse(open), 'CONFLICT')
    assertFailure(await getResponse(failed), 'NOT_FOUND')
    assertFailure(await getResponse(expired), 'EXPIRED')
    assertFailure(await getResponse(unknownIds[0] ?? ''), 'NOT_FOUND')
  })

  await t.test('nobody but its account gets it', async () => {
    const id = await desk.finishTask(account, { kind: 'realtime' })
    const stranger = await service.createAccount()

    assertFailure(await stranger.call(`GET /v1/tasks/${id}/response`), 'NOT_FOUND')
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../support/test-service.ts'

test('requests are counted by method, route and status, never by URL', async (t) => {
  const { url } = await startTestService(t)
  await fetch(`${url}/livez?canary`)
  await fetch(`${url}/canary`)
  const answer = await fetch(`${url}/metrics`)
  const text = await answer.text()

  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(text, /duration_seconds_count\{method="GET",route="\/livez",status="200"\} 1/)
  assert.match(text, /duration_seconds_count\{method="GET",route="unknown",status="404"\} 1/)
  assert.match(text, /^trawl_db_clock_offset_seconds /m)
  assert.match(text, /^trawl_nodejs_eventloop_lag_p99_seconds /m)
  assert.doesNotMatch(text, /canary/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestApp } from '../support/test-app.ts'

test('/livez is 200 whatever the state of the store', async (t) => {
  const { app } = createTestApp(t, { health: { isStoreAnswering: false, isDraining: true } })
  const answer = await app.inject('/livez')

  assert.equal(answer.statusCode, 200)
  assert.deepEqual(answer.json(), { status: 'alive' })
  assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  assert.equal(answer.headers['cache-control'], 'no-store')
})

test('HEAD /livez responds like GET without the body', async (t) => {
  const { app } = createTestApp(t)
  const answer = await app.inject({ method: 'HEAD', url: '/livez' })

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body, '')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import { StoreRefused } from '../../src/storage/outages/store-refused.ts'
import { startCuttableGateway } from '../support/cuttable-gateway.ts'
import { serviceEnvironment } from '../support/test-service.ts'
import { createTestStore, silentLog } from '../support/test-store.ts'

test('a start during which PostgreSQL goes away fails with its address, without credentials', async (t) => {
  const { place } = await createTestStore(t, 'postgres')
  const gateway = await startCuttableGateway(t)
  gateway.leadTo(place.url ?? '')
  // The statement that creates the first account, when the store has long been opened.
  gateway.cutAt('first_account')
  const url = new URL(place.url ?? '')
  url.port = new URL(gateway.url).port
  url.password = 'canary-password'
  const environment = serviceEnvironment({ ...place, url: url.href })
  const { config } = loadConfig({}, environment, place.dataDir)

  await assert.rejects(startService(config, silentLog), (error) => {
    assert.ok(error instanceof StoreRefused)
    assert.ok(error.message.includes(`postgres://${url.host}${url.pathname}`), error.message)
    assert.doesNotMatch(error.message, /canary|trawl@/)
    return true
  })
})

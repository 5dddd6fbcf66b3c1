import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capabilities } from '../../src/wire/service/responses.ts'
import { onBothStores } from '../support/test-service.ts'

onBothStores((kind, startService) => {
  test(`${kind}: capabilities show store, roles, proxies, limits and the state of the browser`, async (t) => {
    const { url } = await startService(t)
    const answer = await fetch(`${url}/capabilities`)
    const body = Capabilities.parse(await answer.json())

    assert.equal(answer.status, 200)
    assert.equal(body.service, 'trawl')
    assert.equal(body.store, kind)
    assert.deepEqual(body.roles, ['api', 'worker', 'delivery'])
    assert.equal(body.proxies.total, 0)
    assert.deepEqual(body.limits, { body_bytes_max: 262_144 })
    assert.ok(['absent', 'installing', 'broken', 'ready'].includes(body.engines.browser.state))
  })
})

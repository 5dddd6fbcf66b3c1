import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseService, isSameServer, type KnownServices } from './choose-service.ts'

const known = (given: Partial<KnownServices>): KnownServices => ({
  flags: {},
  environment: { server: undefined, apiKey: undefined },
  profile: undefined,
  local: { servers: ['http://127.0.0.1:8080'], apiKey: 'local' },
  ...given,
})
const profile = { server: 'https://saved.test', apiKey: 'saved' }

test('the service is that of the flag, of TRAWL_URL, of the profile, or the local one', () => {
  const environment = { server: 'https://environment.test', apiKey: undefined }
  const flags = { server: 'https://flag.test' }

  assert.equal(chooseService(known({ flags, environment, profile })).server, flags.server)
  assert.equal(chooseService(known({ environment, profile })).server, environment.server)
  assert.deepEqual(chooseService(known({ profile })), { ...profile, keyOrigin: 'the profile' })
  assert.deepEqual(chooseService(known({})), {
    server: 'http://127.0.0.1:8080',
    apiKey: 'local',
    keyOrigin: 'the service on this machine',
  })
})

test('a key that is kept for one service is not sent to another', () => {
  for (const server of [
    'https://other.test',
    'http://saved.test',
    'https://saved.test:8443',
    'https://saved.test.evil.test',
    'http://127.0.0.1:9999',
    'https://127.0.0.1:8080',
  ]) {
    assert.equal(chooseService(known({ flags: { server }, profile })).apiKey, undefined, server)
    const environment = { server, apiKey: undefined }
    assert.equal(chooseService(known({ environment, profile })).apiKey, undefined, server)
  }
})

test('a kept key goes to its own service, however that is chosen', () => {
  const keyFor = (server: string) => chooseService(known({ flags: { server }, profile })).apiKey

  assert.equal(keyFor('https://saved.test/'), 'saved')
  assert.equal(keyFor('https://SAVED.test:443'), 'saved')
  assert.equal(keyFor('http://localhost:8080'), 'local')
  assert.equal(keyFor('http://[::1]:8080/'), 'local')
})

test('a key given for the command goes before every kept one, and is known by where it is from', () => {
  const environment = { server: undefined, apiKey: 'given', keyVariable: 'TRAWL_API_KEY' }
  const keyOf = (given: Partial<KnownServices>) => {
    const { apiKey, keyOrigin } = chooseService(known({ environment, profile, ...given }))
    return [apiKey, keyOrigin]
  }

  assert.deepEqual(keyOf({}), ['given', 'TRAWL_API_KEY'])
  assert.deepEqual(keyOf({ flags: { apiKey: 'typed' } }), ['typed', '--api-key'])
})

test('the local service may have two addresses: the one in the settings and the one in use', () => {
  const local = {
    servers: ['http://127.0.0.1:45001', 'http://127.0.0.1:8080'] as const,
    apiKey: 'local',
  }

  assert.equal(chooseService(known({ local })).server, 'http://127.0.0.1:45001')
  assert.equal(
    chooseService(known({ local, flags: { server: 'http://127.0.0.1:8080' } })).apiKey,
    'local',
  )
  assert.ok(!isSameServer('http://127.0.0.1:1', 'http://127.0.0.1:2'))
})

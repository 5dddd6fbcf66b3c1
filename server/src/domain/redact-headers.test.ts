import assert from 'node:assert/strict'
import test from 'node:test'
import { redactHeaders } from './redact-headers.ts'

test('the values of headers whose names speak of credentials are redacted', () => {
  const secrets = ['Authorization', 'X-Api-Key', 'api-key', 'X-Auth-Token', 'X-CSRF', 'Cookie']
  const shown = { Accept: 'text/html', 'X-Trace': '7', 'User-Agent': 'me' }
  const given = { ...Object.fromEntries(secrets.map((name) => [name, 'secret'])), ...shown }

  const redacted = Object.fromEntries(secrets.map((name) => [name, '***']))
  assert.deepEqual(redactHeaders(given), { ...redacted, ...shown })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillProxyTemplate, servesAnyCountry } from './fill-proxy-template.ts'
import type { ListedProxy } from './proxy.ts'

const proxy: ListedProxy = {
  label: 'gateway',
  type: 'residential',
  country: 'DE',
  protocol: 'socks5',
  host: 'gateway.test',
  port: 1080,
  user: { name: 'ada-country-{country}-session-{session}', password: '{country}' },
}
const session = 'a1b2c3d4e5f6'
const nameFor = (country: string | null, given: Partial<ListedProxy> = {}) =>
  fillProxyTemplate({ ...proxy, ...given }, { country, session }).user?.name

test('the user name is filled with the required country in lower case and the session', () => {
  assert.equal(nameFor('US'), `ada-country-us-session-${session}`)
})

test("the user name is filled with the proxy's own country where none is required", () => {
  assert.equal(nameFor(null), `ada-country-de-session-${session}`)
  assert.throws(() => nameFor(null, { country: null }), /without one/)
})

test('every placeholder is filled, and the rest of the user name stays as it is', () => {
  const user = { name: '{session}+{country}+{session}+{Country}+$&', password: 'p' }

  assert.equal(nameFor('US', { user }), `${session}+us+${session}+{Country}+$&`)
  assert.equal(nameFor('US', { user: { name: 'ada', password: 'p' } }), 'ada')
})

test('a proxy route has the address, the filled user name and the unchanged password', () => {
  assert.deepEqual(fillProxyTemplate(proxy, { country: 'US', session }), {
    label: 'gateway',
    protocol: 'socks5',
    host: 'gateway.test',
    port: 1080,
    user: { name: `ada-country-us-session-${session}`, password: '{country}' },
    isForOneAttempt: true,
  })
  const open = fillProxyTemplate({ ...proxy, user: undefined }, { country: 'US', session })
  assert.deepEqual([open.user, open.isForOneAttempt], [undefined, false])
})

test('a proxy serves any country only if its user name has the placeholder {country}', () => {
  assert.equal(servesAnyCountry(proxy), true)
  assert.equal(
    servesAnyCountry({ ...proxy, user: { name: 'ada-{session}', password: '{country}' } }),
    false,
  )
  assert.equal(servesAnyCountry({ ...proxy, user: undefined }), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillProxyTemplate, isAnywhere } from './fill-proxy-template.ts'
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

test('the country asked for and the session are in the user name, the country in lower case', () => {
  assert.equal(nameFor('US'), `ada-country-us-session-${session}`)
})

test("without a country asked for it is the proxy's own", () => {
  assert.equal(nameFor(null), `ada-country-de-session-${session}`)
  assert.throws(() => nameFor(null, { country: null }), /without one/)
})

test('every place is filled, and whatever else is there stays as it is', () => {
  const user = { name: '{session}+{country}+{session}+{Country}+$&', password: 'p' }

  assert.equal(nameFor('US', { user }), `${session}+us+${session}+{Country}+$&`)
  assert.equal(nameFor('US', { user: { name: 'ada', password: 'p' } }), 'ada')
})

test('a route has what a connection needs, and the password as it is', () => {
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

test('only a country in the user name makes a proxy one that is anywhere', () => {
  assert.equal(isAnywhere(proxy), true)
  assert.equal(
    isAnywhere({ ...proxy, user: { name: 'ada-{session}', password: '{country}' } }),
    false,
  )
  assert.equal(isAnywhere({ ...proxy, user: undefined }), false)
})

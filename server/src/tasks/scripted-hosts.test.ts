import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScriptedHosts } from './scripted-hosts.ts'

test('a host that needed a browser is remembered for its account, with its port, for an hour', (t) => {
  const hosts = new ScriptedHosts()
  hosts.remember('ada', 'https://shop.example/a?b', 'empty_app_root')

  assert.equal(hosts.find('ada', 'http://SHOP.example/other'), 'empty_app_root')
  assert.equal(hosts.find('ada', 'https://www.shop.example/'), 'empty_app_root')
  assert.equal(hosts.find('ada', 'https://blog.shop.example/'), undefined)
  assert.equal(hosts.find('ada', 'https://shop.example:8443/'), undefined)
  assert.equal(hosts.find('bob', 'https://shop.example/'), undefined)

  const inAnHour = performance.now() + 3_600_001
  t.mock.method(performance, 'now', () => inAnHour)
  assert.equal(hosts.find('ada', 'https://shop.example/a'), undefined)
})

test('what holds for one page alone is not remembered', () => {
  const hosts = new ScriptedHosts()
  hosts.remember('ada', 'https://shop.example/', 'static')
  hosts.remember('ada', 'https://shop.example/', 'client_redirect')

  assert.equal(hosts.find('ada', 'https://shop.example/'), undefined)
})

test('a static page does not end what is remembered of its host', () => {
  const hosts = new ScriptedHosts()
  hosts.remember('ada', 'https://shop.example/', 'script_shell')
  hosts.remember('ada', 'https://shop.example/imprint', 'static')

  assert.equal(hosts.find('ada', 'https://shop.example/'), 'script_shell')
})

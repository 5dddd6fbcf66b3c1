import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchArguments } from './launch-arguments.ts'

const usual = { flavor: 'shell', sandbox: 'on', profile: '/p', sharedMemoryBytes: 2 ** 30 } as const

test('the sandbox is given up and shared memory done without only where that is said', () => {
  const guarded = launchArguments(usual)
  const open = launchArguments({ ...usual, sandbox: 'off', sharedMemoryBytes: 2 ** 26 })

  assert(!guarded.includes('--no-sandbox') && !guarded.includes('--disable-dev-shm-usage'))
  assert(open.includes('--no-sandbox') && open.includes('--disable-dev-shm-usage'))
})

test('no argument is given twice, for of two the browser hears one alone', () => {
  for (const flavor of ['shell', 'chrome'] as const) {
    const names = launchArguments({ ...usual, flavor }).map((argument) => argument.split('=')[0])
    assert.deepEqual(names, [...new Set(names)])
  }
})

/** Without one of these there would be a way past the proxy, or the browser would talk by itself. */
const required = [
  '--proxy-server=http://egress-proxy.invalid:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP egress-proxy.invalid 127.0.0.1 , MAP * ~NOTFOUND',
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  '--disable-sync',
  '--disable-extensions',
  '--disable-breakpad',
  '--remote-debugging-pipe',
]

for (const flavor of ['shell', 'chrome'] as const) {
  test(`${flavor}: no way in but the pipe, no way out but the one of its page`, () => {
    const all = launchArguments({ ...usual, flavor })

    assert.deepEqual(
      required.filter((argument) => !all.includes(argument)),
      [],
    )
    assert(!all.some((argument) => argument.startsWith('--remote-debugging-port')))
  })

  test(`${flavor}: one list of features and one of settings, for of two the last alone counts`, () => {
    const all = launchArguments({ ...usual, flavor })

    for (const name of ['--disable-features=', '--blink-settings=']) {
      const lists = all.filter((argument) => argument.startsWith(name))
      assert.equal(lists.length, 1, name)
    }
  })
}

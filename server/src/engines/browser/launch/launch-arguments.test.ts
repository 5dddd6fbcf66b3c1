import assert from 'node:assert/strict'
import { test } from 'node:test'
import { launchArguments } from './launch-arguments.ts'

const usual = { flavor: 'shell', sandbox: 'on', profile: '/p', sharedMemoryBytes: 2 ** 30 } as const

test('the sandbox and shared memory are turned off only when asked for or when /dev/shm is small', () => {
  const sandboxed = launchArguments(usual)
  const unsandboxed = launchArguments({ ...usual, sandbox: 'off', sharedMemoryBytes: 2 ** 26 })

  assert(!sandboxed.includes('--no-sandbox') && !sandboxed.includes('--disable-dev-shm-usage'))
  assert(unsandboxed.includes('--no-sandbox') && unsandboxed.includes('--disable-dev-shm-usage'))
})

test('no launch argument is given twice, as Chromium uses only one of them', () => {
  for (const flavor of ['shell', 'chrome'] as const) {
    const names = launchArguments({ ...usual, flavor }).map((argument) => argument.split('=')[0])
    assert.deepEqual(names, [...new Set(names)])
  }
})

/** Without one of these, traffic bypasses the proxy or the browser sends requests of its own. */
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
  test(`${flavor}: CDP is only on the pipe, and no traffic can bypass the egress proxy`, () => {
    const all = launchArguments({ ...usual, flavor })

    assert.deepEqual(
      required.filter((argument) => !all.includes(argument)),
      [],
    )
    assert(!all.some((argument) => argument.startsWith('--remote-debugging-port')))
  })

  test(`${flavor}: features and Blink settings are one argument each, as only the last one counts`, () => {
    const all = launchArguments({ ...usual, flavor })

    for (const name of ['--disable-features=', '--blink-settings=']) {
      const lists = all.filter((argument) => argument.startsWith(name))
      assert.equal(lists.length, 1, name)
    }
  })
}

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

test('there is no way in but the pipe, and no way out but the one of its page', () => {
  const all = launchArguments(usual)

  assert(all.includes('--remote-debugging-pipe'))
  assert(!all.some((argument) => argument.startsWith('--remote-debugging-port')))
  assert(all.includes('--proxy-server=http://127.0.0.1:1'))
  assert(all.includes('--proxy-bypass-list=<-loopback>'))
  assert(all.includes('--disable-quic'))
})

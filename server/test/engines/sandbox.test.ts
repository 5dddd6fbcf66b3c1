/** Whether what a page runs in is as closed as we say. */
import assert from 'node:assert/strict'
import { readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { listBrowsers, listRenderers } from '../support/browser-processes.ts'
import { type HeldPage, holdPage } from '../support/hold-page.ts'

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }

test('a page runs in the sandbox that is reported, and knows nothing of our environment', async (t) => {
  const held = await holdPage(t)

  assertSandboxed(held)
  assertEnvironmentIsBare(held)
  // Root's browser with its sandbox runs as nobody: then nobody can run one as well.
  if (isRoot && held.sandbox === 'on') {
    await t.test('also for an ordinary user', async () => {
      const heldByNobody = await holdPage(t, nobody)

      assert.equal(heldByNobody.sandbox, 'on')
      assertSandboxed(heldByNobody)
      assertEnvironmentIsBare(heldByNobody)
    })
  }
})

/** Filters for its system calls, no way to more rights, and a network of its own that leads nowhere. */
function assertSandboxed({ pid, sandbox }: HeldPage): void {
  const [renderer = 0] = listRenderers(pid)
  const status = readFileSync(`/proc/${renderer}/status`, 'latin1')
  const isFiltered = /^Seccomp:\s*2$/m.test(status) && /^NoNewPrivs:\s*1$/m.test(status)
  assert.equal(isFiltered, sandbox === 'on')
  assert.doesNotMatch(status, /^Uid:.*\b0\b/m)
  const network = readlinkSync(`/proc/${renderer}/ns/net`)
  assert.equal(network !== readlinkSync('/proc/self/ns/net'), sandbox === 'on')
}

function assertEnvironmentIsBare({ pid }: HeldPage): void {
  const [browser = 0] = listBrowsers(pid)
  const environment = readFileSync(`/proc/${browser}/environ`, 'latin1')
  assert.doesNotMatch(environment, /canary/)
  const names = environment.split('\0').flatMap((line) => line.split('=')[0] || [])
  const known = ['HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE']
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  )
}

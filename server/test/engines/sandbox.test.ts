/** Whether pages run in the sandbox that is reported. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listBrowsers, listRenderers } from '../support/browser-processes.ts'
import {
  type OtherProcessPage,
  openPageInOtherProcess,
} from '../support/open-page-in-other-process.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const isRoot = process.getuid?.() === 0
const nobody = { uid: 65534, gid: 65534 }

test('a page runs in the reported sandbox, without our environment variables', async (t) => {
  const held = await openPageInOtherProcess(t)
  const isPossible = await areNamespacesAllowed(t)

  t.diagnostic(`namespaces allowed: ${isPossible}, sandbox: ${held.sandbox}`)
  if (isPossible) assert.equal(held.sandbox, 'on')
  assertSandboxed(held)
  assertEnvironmentIsBare(held)
  // Root's browser with its sandbox runs as nobody: then nobody can run one as well.
  if (isRoot && held.sandbox === 'on') {
    await t.test('a page of an ordinary user runs in the sandbox, too', async () => {
      const heldByNobody = await openPageInOtherProcess(t, nobody)

      assert.equal(heldByNobody.sandbox, 'on')
      assertSandboxed(heldByNobody)
      assertEnvironmentIsBare(heldByNobody)
    })
  }
})

/**
 * Whether the user of the browser may have what the sandbox is made of, by the kernel's own word. Asked
 * by a copy, for the program itself may have been granted more than others.
 */
async function areNamespacesAllowed(t: TestContext): Promise<boolean> {
  const program = join(await scratchFolder(t), 'unshare')
  const original = ['/usr/bin/unshare', '/bin/unshare'].find((path) => existsSync(path))
  if (!original) return false
  await copyFile(original, program)
  await Promise.all([chmod(program, 0o755), chmod(dirname(program), 0o755)])
  const child = spawn(program, ['--user', '--net', '--pid', '--fork', 'true'], {
    stdio: 'ignore',
    timeout: 10_000,
    ...(isRoot && nobody),
  })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Filters for its system calls, no way to more rights, and users, processes and a network of its own. */
function assertSandboxed({ pid, sandbox }: OtherProcessPage): void {
  const [renderer = 0] = listRenderers(pid)
  const status = readFileSync(`/proc/${renderer}/status`, 'latin1')
  const isFiltered = /^Seccomp:\s*2$/m.test(status) && /^NoNewPrivs:\s*1$/m.test(status)
  assert.equal(isFiltered, sandbox === 'on')
  assert.doesNotMatch(status, /^Uid:.*\b0\b/m)
  for (const namespace of ['user', 'pid', 'net']) {
    const [its, ours] = [renderer, 'self'].map((one) =>
      readlinkSync(`/proc/${one}/ns/${namespace}`),
    )
    assert.equal(its !== ours, sandbox === 'on', namespace)
  }
}

function assertEnvironmentIsBare({ pid }: OtherProcessPage): void {
  const [browser = 0] = listBrowsers(pid)
  const environment = readFileSync(`/proc/${browser}/environ`, 'latin1')
  assert.doesNotMatch(environment, /canary/)
  const names = environment.split('\0').flatMap((line) => line.split('=')[0] || [])
  const known = ['HOME', 'TMPDIR', 'PATH', 'LD_LIBRARY_PATH', 'FONTCONFIG_FILE']
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  )
}

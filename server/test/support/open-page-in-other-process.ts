import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listBrowserHomes } from './browser-processes.ts'

export interface OtherProcessPage {
  /** Of the process whose browser it is. */
  pid: number
  sandbox: 'on' | 'off' | null
}

/** Another process of ours has a page open in its browser, until it is killed or the test is over. */
export async function openPageInOtherProcess(
  t: TestContext,
  user: { uid?: number; gid?: number } = {},
): Promise<OtherProcessPage> {
  const script = fileURLToPath(new URL('./open-page-script.ts', import.meta.url))
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ANYTHING: 'canary' },
    ...user,
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    const homes = listBrowserHomes(child.pid)
    await Promise.all(
      homes.map((home) => rm(join(tmpdir(), home), { recursive: true, force: true })),
    )
  })
  const said = once(createInterface({ input: child.stdout }), 'line')
  const [line] = await Promise.race([
    said,
    ended.then(() => assert.fail('The other process has ended.')),
  ])
  return JSON.parse(line)
}

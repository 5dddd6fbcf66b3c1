import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const folders = new Set<string>()

// An interrupted run skips the clean-up of the tests.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    process.kill(process.pid, signal)
  })
}

/** Creates an empty folder; it is removed when disposed, and when the run is interrupted. */
export async function makeScratchFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'trawl-test-'))
  folders.add(path)
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await rm(path, { recursive: true, force: true })
      folders.delete(path)
    },
  }
}

/** Creates an empty folder that is removed when the test ends. */
export async function scratchFolder(t: TestContext): Promise<string> {
  const folder = await makeScratchFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  return folder.path
}

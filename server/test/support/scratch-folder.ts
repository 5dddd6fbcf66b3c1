import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const folders = new Set<string>()

// An interrupted run skips the tests' own clean-up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    process.kill(process.pid, signal)
  })
}

/** An empty folder that is gone after its disposal, also when the run is interrupted. */
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

/** The same, gone with the test. */
export async function scratchFolder(t: TestContext): Promise<string> {
  const folder = await makeScratchFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  return folder.path
}

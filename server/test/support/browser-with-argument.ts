import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { makeScratchFolder } from './scratch-folder.ts'

/** A program that starts the browser with one argument more; of two that are alike it hears this one. */
export async function browserWithArgument(
  t: Pick<TestContext, 'after'>,
  path: string,
  argument: string,
): Promise<string> {
  const folder = await makeScratchFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  await chmod(folder.path, 0o755) // the browser may run as another user
  const program = join(folder.path, 'browser')
  await writeFile(program, `#!/bin/sh\nexec '${path}' "$@" '${argument}'\n`, { mode: 0o755 })
  return program
}

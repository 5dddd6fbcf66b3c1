import { createHash, X509Certificate } from 'node:crypto'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { makeScratchFolder } from './scratch-folder.ts'

/**
 * A program that starts the browser with one argument more: it takes certificates with the key of this
 * one for good. The browser knows no other way to trust a test's own that needs no change of ours.
 */
export async function trustingBrowser(
  t: Pick<TestContext, 'after'>,
  path: string,
  pem: string,
): Promise<string> {
  const folder = await makeScratchFolder()
  t.after(() => folder[Symbol.asyncDispose]())
  await chmod(folder.path, 0o755) // the browser may be started as somebody else
  const program = join(folder.path, 'browser')
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const hash = createHash('sha256').update(key).digest('base64')
  const trust = `--ignore-certificate-errors-spki-list=${hash}`
  await writeFile(program, `#!/bin/sh\nexec '${path}' "$@" ${trust}\n`, { mode: 0o755 })
  return program
}

import { createHash, X509Certificate } from 'node:crypto'
import type { TestContext } from 'node:test'
import { browserWith } from './browser-with.ts'

/**
 * A browser that takes certificates with the key of this one for good. It knows no other way to trust a
 * test's own that needs no change of ours.
 */
export function trustingBrowser(
  t: Pick<TestContext, 'after'>,
  path: string,
  pem: string,
): Promise<string> {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const hash = createHash('sha256').update(key).digest('base64')
  return browserWith(t, path, `--ignore-certificate-errors-spki-list=${hash}`)
}

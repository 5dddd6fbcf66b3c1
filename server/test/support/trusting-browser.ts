import { createHash, X509Certificate } from 'node:crypto'
import type { TestContext } from 'node:test'
import { browserWithArgument } from './browser-with-argument.ts'

/**
 * A browser that accepts certificates with this one's public key. Chromium has no other way to
 * trust a test's certificate that needs no change of our own launch arguments.
 */
export function trustingBrowser(
  t: Pick<TestContext, 'after'>,
  path: string,
  pem: string,
): Promise<string> {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' })
  const hash = createHash('sha256').update(key).digest('base64')
  return browserWithArgument(t, path, `--ignore-certificate-errors-spki-list=${hash}`)
}

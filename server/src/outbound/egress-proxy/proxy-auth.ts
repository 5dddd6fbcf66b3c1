import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { proxyAuthorization } from '../upstream-proxy/http-proxy-protocol.ts'

/**
 * Authentication of one egress proxy. Every process on the machine can connect to its port; the credentials are
 * random, live as long as the proxy, and are known only to this process and to one browser context.
 */
export function createEgressProxyAuth() {
  const credentials: ProxyUser = { name: 'page', password: randomBytes(16).toString('base64url') }
  const expected = Buffer.from(proxyAuthorization(credentials))
  return {
    credentials,
    isAuthenticated({ headers }: IncomingMessage): boolean {
      const given = Buffer.from(headers['proxy-authorization'] ?? '')
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

/** Distinguishes a challenge of the egress proxy from one of a target. */
export const egressProxyRealm = 'trawl'

/** Closes the connection: a process without the credentials cannot keep one open. */
export const challengeHeaders = {
  'Proxy-Authenticate': `Basic realm="${egressProxyRealm}"`,
  'Content-Length': '0',
  Connection: 'close',
} as const

/**
 * Added to a target's own 407. Without a challenge of another realm Chromium takes that response for a
 * refusal of the proxy's credentials and drops them, and the page can load nothing more.
 */
export const foreignChallenge = ['Proxy-Authenticate', 'Basic realm="target"'] as const

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { proxyAuthorization } from '../upstream-proxy/http-proxy-protocol.ts'

/**
 * Proxy authentication of one exit. Every process on the machine can connect to its port; the credentials
 * are random, live only as long as the exit, and are known to this process and to one browser context.
 */
export interface EgressProxyAuth {
  readonly credentials: ProxyUser
  isAuthenticated(request: IncomingMessage): boolean
}

export function createEgressProxyAuth(): EgressProxyAuth {
  const credentials = { name: 'page', password: randomBytes(16).toString('base64url') }
  const expected = Buffer.from(proxyAuthorization(credentials))
  return {
    credentials,
    isAuthenticated({ headers }) {
      const given = Buffer.from(headers['proxy-authorization'] ?? '')
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

/** Tells a challenge of the exit from a target's own. */
export const egressProxyRealm = 'trawl'

/** The connection is closed after it: a process without the credentials keeps nothing open. */
export const challengeHeaders = {
  'Proxy-Authenticate': `Basic realm="${egressProxyRealm}"`,
  'Content-Length': '0',
  Connection: 'close',
} as const

/**
 * Goes with a target's own 407. Without a challenge of another realm Chromium takes that answer for a
 * refusal of the exit's credentials and forgets them, and the page can load nothing more.
 */
export const foreignChallenge = ['Proxy-Authenticate', 'Basic realm="target"'] as const

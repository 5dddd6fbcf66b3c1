import type { ProxyRoute, ProxyUser } from '../../domain/proxy/proxy.ts'

/**
 * Whether the proxy relays `http:` requests, sent to it in absolute form. Squid and tinyproxy refuse
 * tunnels to port 80 by default.
 */
export const relaysRequests = (proxy: ProxyRoute | undefined): proxy is ProxyRoute =>
  proxy !== undefined && proxy.protocol !== 'socks5'

/** The `Proxy-Authorization` value; it is sent to the proxy only, never through a tunnel. */
export const proxyAuthorization = ({ name, password }: ProxyUser): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/**
 * Whether the response to a relayed request is the proxy's own. A 407 always is. Squid and tinyproxy mark theirs;
 * without this check they would pass for pages of the target: tinyproxy sends 401 for a wrong password.
 */
export const isProxyResponse = (
  statusCode: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean =>
  statusCode === 407 ||
  (statusCode >= 400 &&
    (headers['x-squid-error'] !== undefined || /^tinyproxy\//.test(String(headers['server']))))

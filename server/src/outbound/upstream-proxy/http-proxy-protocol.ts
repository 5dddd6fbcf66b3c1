import type { ProxyRoute, ProxyUser } from '../../domain/proxy/proxy.ts'

/**
 * Whether it passes plain requests on itself and is sent them in absolute form. Squid and tinyproxy
 * refuse tunnels to port 80 as they come.
 */
export const relaysRequests = (proxy: ProxyRoute | undefined): proxy is ProxyRoute =>
  proxy !== undefined && proxy.protocol !== 'socks5'

/** For the proxy alone: it stands in what is said to it, never in what it carries. */
export const proxyAuthorization = ({ name, password }: ProxyUser): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

/**
 * Whether what came back for a relayed request is the proxy's own word. A 407 always is. Squid and tinyproxy
 * mark theirs, which else would pass for a page of the target: tinyproxy says 401 to a wrong password.
 */
export const isProxyResponse = (
  statusCode: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean =>
  statusCode === 407 ||
  (statusCode >= 400 &&
    (headers['x-squid-error'] !== undefined || /^tinyproxy\//.test(String(headers['server']))))

import type { ProxyRoute, ProxyUser } from '../domain/proxy.ts'

/**
 * Whether it passes plain requests on itself and is sent them in absolute form. Squid and tinyproxy
 * refuse tunnels to port 80 as they come.
 */
export const relaysRequests = (proxy: ProxyRoute | undefined): proxy is ProxyRoute =>
  proxy !== undefined && proxy.protocol !== 'socks5'

/** For the proxy alone: it stands in what is said to it, never in what it carries. */
export const proxyAuthorization = ({ name, password }: ProxyUser): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

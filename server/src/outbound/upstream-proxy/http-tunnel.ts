import { isIPv6, type Socket } from 'node:net'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { outboundError } from '../outbound-error.ts'
import { proxyAuthorization } from './http-proxy-protocol.ts'
import { readHead } from './read-handshake.ts'

const headBytesMax = 16 * 1024

/** Opens a `CONNECT` tunnel; from then on the socket carries bytes of the target. */
export async function openHttpTunnel(
  socket: Socket,
  { host, port }: { host: string; port: number },
  user: ProxyUser | undefined,
): Promise<void> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`
  const credentials = user ? `Proxy-Authorization: ${proxyAuthorization(user)}\r\n` : ''
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`)
  const head = await readHead(socket, headBytesMax)
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head) ?? []
  if (status?.startsWith('2')) return
  const response = status ?? 'something other than HTTP'
  // These two do not depend on the target; any other refusal may be for this target only.
  const problem = status === undefined || status === '407' ? 'proxy_unusable' : 'proxy'
  throw outboundError(problem, new Error(`The proxy answered CONNECT with ${response}.`))
}

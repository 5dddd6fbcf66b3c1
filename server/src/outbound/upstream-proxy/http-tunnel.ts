import { isIPv6, type Socket } from 'node:net'
import type { ProxyUser } from '../../domain/proxy/proxy.ts'
import { outboundError } from '../outbound-error.ts'
import { proxyAuthorization } from './http-proxy-protocol.ts'
import { readHead } from './read-handshake.ts'

const headBytesMax = 16 * 1024

/** Asks an HTTP proxy for a tunnel; what the socket carries from then on is the target's. */
export async function askForHttpTunnel(
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
  const answer = status === undefined ? 'what is not HTTP' : status
  // Of these two no target has part; any other refusal may be meant for this one.
  const problem = status === undefined || status === '407' ? 'proxy_unusable' : 'proxy'
  throw outboundError(problem, new Error(`It answered CONNECT with ${answer}.`))
}

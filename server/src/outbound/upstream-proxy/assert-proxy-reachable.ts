import type { Socket } from 'node:net'
import type { ProxyRoute } from '../../domain/proxy/proxy.ts'
import type { OutboundRequest, OutboundResponse } from '../client/http-client.ts'
import type { GuardedConnect } from '../guarded-connect.ts'

/**
 * Dials the proxy again after a response that ended with its connection: one that was truncated by a crash of
 * the proxy looks complete. Throws an `OutboundError` if the proxy cannot be reached.
 */
export async function assertProxyReachable(
  connect: GuardedConnect,
  proxy: ProxyRoute,
  { url, purpose, limits, signal }: OutboundRequest,
  { bytes }: OutboundResponse,
): Promise<void> {
  let wire: Socket | undefined
  const onDialled = (dialled: Socket) => {
    wire = dialled
  }
  const target = { hostname: url.hostname, port: Number(url.port) || 80, isTls: false, purpose }
  const options = { proxy, isRelayed: true, onDialled, limits, signal }
  const { socket } = await connect({ ...target, ...options })
  socket.destroy()
  bytes.sent += wire?.bytesWritten ?? 0
  bytes.received += wire?.bytesRead ?? 0
}

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { startRawOrigin } from '../../outbound/raw-origin.ts'
import type { WireAnswer } from './raw-responders.ts'

/** What ends with it is told to `after`. */
export type CleanupScope = Pick<TestContext, 'after'>

/** The end of a stack of resources, for what is otherwise the end of a test. */
export const cleanupScopeOf = (resources: AsyncDisposableStack): CleanupScope => ({
  after: (end) => resources.defer(async () => void (await (end as () => unknown)())),
})

/** A TLS server that gives every request this response. */
export async function startTlsPeer(
  t: CleanupScope,
  options: TlsOptions,
  answer: WireAnswer,
): Promise<number> {
  const server = createTlsServer(options, (socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  server.on('tlsClientError', () => {})
  return listen(t, server)
}

/** A server that does this as soon as somebody connects, and by itself reads nothing. */
export const startMutePeer = (t: CleanupScope, onConnection: WireAnswer): Promise<number> =>
  listen(t, createServer({ pauseOnConnect: true }, onConnection))

/** A server that answers whole requests so. */
export async function startRespondingPeer(
  t: CleanupScope,
  answer: (socket: Socket, request: string) => void,
): Promise<number> {
  return (await startRawOrigin(t, (socket, _nth, request) => answer(socket, request))).port
}

/** A port where nobody takes another connection any more. */
export async function startFullPeer(t: CleanupScope): Promise<number> {
  const listener = new Worker(new URL('./full-listener.ts', import.meta.url), { execArgv: [] })
  const [port] = await once(listener, 'message')
  // These fill the backlog; the kernel drops further connections.
  const waiting = Array.from({ length: 4 }, () =>
    connect({ port, host: '127.0.0.1' }).on('error', () => {}),
  )
  await once(waiting[1] as Socket, 'connect')
  t.after(async () => {
    for (const socket of waiting) socket.destroy()
    await listener.terminate()
  })
  return port
}

/** A port that was free a moment ago. */
export async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function listen(t: CleanupScope, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

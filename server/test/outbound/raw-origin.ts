import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** A server that speaks in bytes, so that an answer can be as broken as a test wants it. */
export interface RawOrigin {
  readonly url: string
  readonly port: number
  /** Connections so far, and those that are still open. */
  readonly connections: number
  readonly openConnections: number
  readonly bytes: { read: number; written: number }
}

/** `onRequest` is told the count of requests on this connection, from 1, and the request itself. */
export async function startRawOrigin(
  t: Pick<TestContext, 'after'>,
  onRequest: (socket: Socket, nth: number, request: string) => void,
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawOrigin> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
    let nth = 0
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let length = requestLength(text); length > 0; length = requestLength(text)) {
        const request = text.slice(0, length)
        text = text.slice(length)
        nth += 1
        onRequest(socket, nth, request)
      }
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    get connections() {
      return connections
    },
    get openConnections() {
      return [...sockets].filter(({ closed }) => !closed).length
    },
    get bytes() {
      const sum = (count: (socket: Socket) => number) =>
        [...sockets].reduce((total, socket) => total + count(socket), 0)
      return {
        read: sum(({ bytesRead }) => bytesRead),
        written: sum(({ bytesWritten }) => bytesWritten),
      }
    },
  }
}

/** Of the first whole request in the text; 0 while there is none. */
function requestLength(text: string): number {
  const headEnd = text.indexOf('\r\n\r\n') + 4
  if (headEnd < 4) return 0
  const bodyLength = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0)
  return text.length >= headEnd + bodyLength ? headEnd + bodyLength : 0
}

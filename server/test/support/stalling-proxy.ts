import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a server that can stall all traffic, like a cut network. */
export interface StallingProxy extends AsyncDisposable {
  readonly port: number
  stall(): void
  resume(): void
}

export async function startStallingProxy(targetPort: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>()
  let isStalled = false
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => to.write(chunk))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    if (isStalled) from.pause()
  }
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    carry(client, target)
    carry(target, client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    stall: () => {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    resume: () => {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

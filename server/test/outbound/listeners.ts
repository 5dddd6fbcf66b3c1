import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import type { TestContext } from 'node:test'

/** Servers on one port of several addresses, which count who comes. */
export interface Listeners {
  readonly port: number
  /** Connections so far, by address, also those the kernel had not handed over yet. */
  counted(): Promise<Map<string, number>>
}

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
const portsTried = 20

export async function listenOn(t: TestContext, addresses: readonly string[]): Promise<Listeners> {
  const counts = new Map(addresses.map((address) => [address, 0]))
  const listen = async (address: string, port: number): Promise<Server> => {
    const server = createServer((socket) => {
      counts.set(address, (counts.get(address) ?? 0) + 1)
      socket.on('error', () => {})
      socket.once('data', () => socket.end(answer))
    })
    t.after(() => server.close())
    server.listen(port, address)
    await once(server, 'listening')
    return server
  }
  const port = await onSamePort(addresses, listen)
  return {
    port,
    async counted() {
      const ours = new Map(counts)
      // A connection of our own comes last: when it is seen, all others have been.
      for (const address of addresses) {
        const before = counts.get(address) ?? 0
        const socket = connect(port, address)
        socket.end('x')
        socket.resume()
        await once(socket, 'close')
        ours.set(address, (counts.get(address) ?? 0) - 1)
        if ((counts.get(address) ?? 0) <= before) throw new Error('The control was not seen.')
        counts.set(address, (counts.get(address) ?? 0) - 1)
      }
      return ours
    },
  }
}

async function onSamePort(
  [first = '', ...others]: readonly string[],
  listen: (address: string, port: number) => Promise<Server>,
): Promise<number> {
  for (let tried = 1; ; tried++) {
    const { port } = (await listen(first, 0)).address() as { port: number }
    try {
      for (const address of others) await listen(address, port)
      return port
    } catch (error) {
      if (tried === portsTried) throw error
    }
  }
}

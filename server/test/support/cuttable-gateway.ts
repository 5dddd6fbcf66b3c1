import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface CuttableGateway {
  readonly url: string
  /** Where connections lead to; to be set before the first one. */
  leadTo(url: string): void
  /** Breaks every connection, and each new one until it is mended. */
  cut(): void
  mend(): void
}

/** A way to a service that can be cut, as a network can. */
export async function startCuttableGateway(t: TestContext): Promise<CuttableGateway> {
  const open = new Set<Socket>()
  let port = 0
  let isCut = false
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  t.after(() => {
    destroyAll()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      port = Number(new URL(url).port)
    },
    cut() {
      isCut = true
      destroyAll()
    },
    mend() {
      isCut = false
    },
  }
}

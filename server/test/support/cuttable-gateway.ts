import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface CuttableGateway {
  readonly url: string
  /** Where connections lead to; to be set before the first one. */
  leadTo(url: string): void
  /** Breaks every connection, and each new one until it is mended. */
  cut(): void
  /** Cuts as soon as a client sends these letters. */
  cutAt(letters: string): void
  /** Lets no response pass any more as soon as a client sends these letters; new connections are whole. */
  muteAt(letters: string): void
  mend(): void
  /** How many connections were broken at once because it was cut. */
  refusedCount(): number
}

/** A way to a service that can be cut, as a network can. */
export async function startCuttableGateway(t: TestContext): Promise<CuttableGateway> {
  const open = new Set<Socket>()
  const upstreams = new Set<Socket>()
  let port = 0
  let isCut = false
  let refusedCount = 0
  let cutAt: string | undefined
  let muteAt: string | undefined
  const server = createServer((client) => {
    if (isCut) {
      refusedCount += 1
      return void client.destroy()
    }
    const upstream = connect(port, '127.0.0.1')
    upstreams.add(upstream)
    upstream.on('close', () => upstreams.delete(upstream))
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
    client.prependListener('data', (chunk: Buffer) => {
      if (cutAt !== undefined && chunk.includes(cutAt)) cut()
      if (muteAt !== undefined && chunk.includes(muteAt)) mute()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const destroyAll = () => {
    for (const socket of open) socket.destroy()
  }
  const cut = () => {
    isCut = true
    destroyAll()
  }
  const mute = () => {
    muteAt = undefined
    for (const upstream of upstreams) upstream.unpipe().resume()
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
    cut,
    cutAt(letters) {
      cutAt = letters
    },
    muteAt(letters) {
      muteAt = letters
    },
    mend() {
      isCut = false
    },
    refusedCount: () => refusedCount,
  }
}

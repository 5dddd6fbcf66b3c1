import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface TrapOrigin {
  readonly origin: string
  /** Paths that were asked for. */
  readonly asked: string[]
  /** From now on nobody has a reason to come here. */
  arm(): void
  /** Since it was armed, also those that asked for nothing. */
  connections(): number
}

/** Where everything leads that must not be loaded. */
export async function startTrapOrigin(t: Pick<TestContext, 'after'>): Promise<TrapOrigin> {
  const asked: string[] = []
  let connections = 0
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*')
    // Nothing stays open that a later request could use unseen.
    response.setHeader('connection', 'close')
    response.end()
  })
  server.on('connection', () => connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    arm() {
      connections = 0
    },
    connections: () => connections,
  }
}

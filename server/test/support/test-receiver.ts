import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from './until.ts'

/** A request that the receiver got. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  /** The body as JSON. */
  json: ReturnType<typeof JSON.parse>
  atMs: number
}

/** Responds to a request; the default responds 200. */
export type Behaviour = (received: Received, response: ServerResponse) => void

export interface TestReceiver {
  readonly url: string
  /** All requests in the order of their arrival. */
  readonly received: Received[]
  behave(behaviour: Behaviour): void
  /** Resolves with the requests to the path once there are at least `count`. */
  arrivals(count: number, path?: string): Promise<Received[]>
}

/** A receiver of callbacks and webhooks on loopback whose behaviour the test sets. */
export async function startTestReceiver(t: Pick<TestContext, 'after'>): Promise<TestReceiver> {
  const received: Received[] = []
  let behave: Behaviour = (_received, response) => void response.end()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      json: parse(body),
      atMs: Date.now(),
    }
    received.push(one)
    behave(one, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    behave(behaviour) {
      behave = behaviour
    },
    async arrivals(count, path) {
      const matching = () => received.filter((one) => path === undefined || one.path === path)
      await until(() => matching().length >= count)
      return matching()
    },
  }
}

/** A behaviour that answers with a status, and headers where they matter. */
export const respondWith =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_received, response) =>
    void response.writeHead(status, headers).end()

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Keeps requests without an answer until they are released. */
export interface HeldRequests {
  readonly behaviour: Behaviour
  readonly waiting: ServerResponse[]
  /** Responds to all requests that are held. */
  release(status: number): void
}

export function holdRequests(): HeldRequests {
  const waiting: ServerResponse[] = []
  return {
    waiting,
    behaviour: (_received, response) => void waiting.push(response),
    release(status) {
      for (const response of waiting.splice(0)) response.writeHead(status).end()
    },
  }
}

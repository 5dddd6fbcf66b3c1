import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from './until.ts'

/** A request that stays open until the test answers it. */
interface HeldRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly atMs: number
  answer(status?: number, headers?: Record<string, string>, body?: string): void
  /** Whether the client closed the connection without a response. */
  isLeft(): boolean
}

export interface HoldingSite {
  url(path: string): string
  /** The requests for the path so far. */
  heldAt(path: string): HeldRequest[]
  /** Resolves with the nth request for the path once it has arrived. */
  untilHeld(path: string, count?: number): Promise<HeldRequest>
}

/** A site that holds every request open until the test answers it. */
export async function startHoldingSite(t: TestContext): Promise<HoldingSite> {
  const requests: HeldRequest[] = []
  const server = createServer((request, response) => {
    requests.push({
      path: request.url ?? '',
      headers: request.headers,
      atMs: performance.now(),
      answer: (status = 200, headers = {}, body = '<p>held</p>') =>
        void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body),
      isLeft: () => response.closed && !response.writableFinished,
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const heldAt = (path: string) => requests.filter((request) => request.path === path)
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    heldAt,
    async untilHeld(path, count = 1) {
      await until(() => heldAt(path).length >= count)
      return heldAt(path)[count - 1] as HeldRequest
    },
  }
}

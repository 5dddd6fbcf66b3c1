import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { until } from './until.ts'

/** A request that waits for the test to answer it. */
interface HeldRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly atMs: number
  answer(status?: number, headers?: Record<string, string>, body?: string): void
  /** Whether whoever asked has gone without an answer. */
  isLeft(): boolean
}

export interface HoldingSite {
  url(path: string): string
  /** Those that asked for the path so far. */
  heldAt(path: string): HeldRequest[]
  /** The nth request for the path, once it is there. */
  untilHeld(path: string, count?: number): Promise<HeldRequest>
}

/** An origin that answers nothing until it is told what. */
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

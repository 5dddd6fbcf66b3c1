import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A site whose pages a test writes itself, and that remembers what it was asked for. */
export interface PageSite {
  readonly origin: string
  readonly port: number
  /** Paths with their queries, in the order they were asked for. */
  readonly asked: string[]
  url(path: string): string
  /** What is answered to a path: HTML, or whatever the handler does. */
  page(path: string, answer: string | Handler): void
  askedFor(path: string): IncomingMessage[]
}

export async function startPageSite(
  t: Pick<TestContext, 'after'>,
  { host = '127.0.0.1' }: { host?: string } = {},
): Promise<PageSite> {
  const pages = new Map<string, string | Handler>()
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const { pathname } = new URL(request.url ?? '/', 'http://site.test')
    const answer = pages.get(pathname)
    response.on('error', () => undefined)
    if (typeof answer === 'function') answer(request, response)
    else if (answer !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer)
    } else response.writeHead(404, { 'content-type': 'text/html' }).end('<p>nothing here</p>')
  })
  await once(server.listen(0, host), 'listening')
  t.after(() => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    return closed
  })
  const { port } = server.address() as AddressInfo
  const origin = `http://${host}:${port}`
  return {
    origin,
    port,
    get asked() {
      return requests.map(({ url = '' }) => url)
    },
    url: (path) => origin + path,
    page: (path, answer) => void pages.set(path, answer),
    askedFor: (path) => requests.filter(({ url }) => url === path),
  }
}

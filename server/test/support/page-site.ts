import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A site whose pages the test writes; it records its requests. */
export interface PageSite {
  readonly origin: string
  readonly port: number
  /** Paths with their queries, in the order of the requests. */
  readonly asked: string[]
  url(path: string): string
  /** Sets the response for a path: HTML, or a handler. */
  page(path: string, content: string | Handler): void
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
    const content = pages.get(pathname)
    response.on('error', () => undefined)
    if (typeof content === 'function') content(request, response)
    else if (content !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(content)
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
    page: (path, content) => void pages.set(path, content),
    askedFor: (path) => requests.filter(({ url }) => url === path),
  }
}

import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { routes, type Visit } from './test-site-routes.ts'

/** A request that the site got. */
interface SiteRequest {
  /** The path with its query. */
  path: string
  headers: IncomingHttpHeaders
  /** Header names as sent, in their order. */
  headerNames: string[]
}

/** An origin with a path for every feature and misbehaviour of targets; `routes` lists them. */
export interface TestSite {
  /** `http://127.0.0.1:port`; a DNS name of that address works as well. */
  readonly origin: string
  readonly port: number
  readonly requests: SiteRequest[]
  url(path: string): string
  /** Resolves when this path has been asked for, with its query. */
  waitForRequest(path: string): Promise<SiteRequest>
}

export async function startTestSite(
  t: Pick<TestContext, 'after'>,
  { host = '127.0.0.1' }: { host?: string } = {},
): Promise<TestSite> {
  const requests: SiteRequest[] = []
  const arrived = new EventEmitter()
  arrived.setMaxListeners(0)

  const server = createServer((request, response) => {
    const { url: path = '/', headers, rawHeaders } = request
    const headerNames = rawHeaders.filter((_, index) => index % 2 === 0)
    requests.push({ path, headers, headerNames })
    arrived.emit(path)
    const url = new URL(path, `http://${headers.host ?? host}`)
    const [, name = '', ...rest] = url.pathname.split('/')
    const visit: Visit = { request, response, url, argument: decodeURIComponent(rest.join('/')) }
    response.on('error', () => {})
    const answer = Object.hasOwn(routes, name) ? routes[name] : undefined
    if (answer) answer(visit)
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<p>nothing here</p>')
  })
  server.listen(0, host)
  await once(server, 'listening')
  t.after(() => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    return closed
  })

  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const findRequest = (path: string) => requests.find((request) => request.path === path)
  return {
    origin,
    port,
    requests,
    url: (path) => `${origin}${path}`,
    async waitForRequest(path) {
      for (;;) {
        const request = findRequest(path)
        if (request) return request
        await once(arrived, path, { signal: AbortSignal.timeout(10_000) })
      }
    },
  }
}

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** Good and bad targets and receivers, and what arrived. */
export interface SoakPeers extends AsyncDisposable {
  readonly originUrl: string
  readonly receiverUrl: string
  readonly webhookUrl: string
  readonly failingUrl: string
  /** Several, because the backlog of a single hanging receiver would grow without end. */
  readonly hangingUrls: readonly string[]
  /** Ids of tasks that were delivered successfully, by kind. */
  readonly delivered: { callbacks: Set<string>; events: Set<string> }
}

export const pageText = `<!doctype html><title>soak</title>${'<p class="row">  some   text </p>\n'.repeat(800)}`
export const jsonText = '{"fish": ["cod", 12345678901234567890]}'
const page = gzipSync(pageText)
const hangingCount = 100

export async function startSoakPeers(): Promise<SoakPeers> {
  const delivered = { callbacks: new Set<string>(), events: new Set<string>() }
  const servers: Server[] = []
  const start = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }
  const receiving =
    (note: (body: ReturnType<typeof JSON.parse>) => void): RequestListener =>
    async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      note(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(204).end()
    }
  return {
    delivered,
    originUrl: await start((request, response) => answerAsTarget(request.url ?? '', response)),
    receiverUrl: await start(receiving(({ requestId }) => delivered.callbacks.add(requestId))),
    webhookUrl: await start(receiving(({ data }) => delivered.events.add(data.job_id))),
    failingUrl: await start((_request, response) => response.writeHead(500).end('no')),
    hangingUrls: await Promise.all(
      Array.from({ length: hangingCount }, () => start(() => undefined)),
    ),
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

const answerAsTarget = (path: string, response: Parameters<RequestListener>[1]): void => {
  if (path === '/garbage') response.socket?.end('SSH-2.0-x\r\n\r\n')
  else if (path === '/json') response.setHeader('content-type', 'application/json').end(jsonText)
  else {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
    response.end(page)
  }
}

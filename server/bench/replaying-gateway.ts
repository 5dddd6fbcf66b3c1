import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReplayingGateway extends AsyncDisposable {
  readonly url: string
  /** To the service, which has everything but the events. */
  leadTo(serviceUrl: string): void
  /** Sends text on the stream of events, and resolves once the listener has taken it. */
  send(text: string): Promise<void>
}

/** A way to a service on which the events of an hour come in less than an hour. */
export async function startReplayingGateway(): Promise<ReplayingGateway> {
  let serviceUrl = ''
  const streams = new Set<ServerResponse>()
  const server = createServer((asked, answer) => {
    if (asked.url?.startsWith('/v1/events')) {
      answer.writeHead(200, { 'content-type': 'text/event-stream' })
      answer.write(': open\n\n')
      streams.add(answer)
      answer.on('close', () => streams.delete(answer))
      return
    }
    const { method, headers } = asked
    const passed = request(`${serviceUrl}${asked.url}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url) {
      serviceUrl = url
    },
    async send(text) {
      await Promise.all(
        [...streams].map(async (stream) => {
          if (!stream.write(text)) await once(stream, 'drain')
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

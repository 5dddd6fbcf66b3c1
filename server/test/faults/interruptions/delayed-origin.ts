import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface DelayedPage {
  name: string
  /** How long the origin takes for it. */
  ms: number
  /** Whether its first request gets a 503 at once, so that the page has to be tried again. */
  isRefusedFirst?: boolean
}

/** An origin that takes its time, and answers every page in the end. */
export interface DelayedOrigin extends AsyncDisposable {
  url(page: DelayedPage): string
  /** How many pages of this group were requested, each counted once. */
  countRequested(group: string): number
  /** How many requests were open at once at most, since this was last asked. */
  takePeak(): number
}

export async function startDelayedOrigin(): Promise<DelayedOrigin> {
  const requested = new Set<string>()
  let openCount = 0
  let peak = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://origin.test')
    const isFirst = !requested.has(pathname)
    requested.add(pathname)
    openCount += 1
    peak = Math.max(peak, openCount)
    response.once('close', () => {
      openCount -= 1
    })
    if (isFirst && searchParams.has('refused')) {
      response.writeHead(503, { 'retry-after': '2' }).end()
      return
    }
    setTimeout(
      () => response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${pathname}</p>`),
      Number(searchParams.get('ms')),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: ({ name, ms, isRefusedFirst }) =>
      `http://127.0.0.1:${port}/${name}?ms=${ms}${isRefusedFirst ? '&refused' : ''}`,
    countRequested: (group) =>
      [...requested].filter((path) => path.startsWith(`/${group}/`)).length,
    takePeak: () => {
      const taken = peak
      peak = openCount
      return taken
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

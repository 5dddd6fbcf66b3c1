import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Webhook } from 'standardwebhooks'

/** A request to the receiver, and its response status. */
export interface LedgerArrival {
  requestId: string
  webhookId: string
  nonce: string
  /** Why the task failed, if it did. */
  error: string | undefined
  atMs: number
  answer: 200 | 500 | 'hang'
  /** What is wrong with it: an invalid signature, or another page than the one requested. */
  fault: string | undefined
}

/** The page of a nonce: it cannot be guessed but can be verified. */
const pageOf = (nonce: string): string =>
  `<!doctype html><title>${nonce}</title><p>${createHash('sha256').update(nonce).digest('hex')}</p>`

const receiverCount = 12

export interface LedgerPeers extends AsyncDisposable {
  readonly originUrl: string
  /** Several receivers, since a destination gets at most ten concurrent deliveries. */
  readonly receiverUrls: readonly string[]
  readonly arrivals: LedgerArrival[]
  /** The request ids of what a receiver acknowledged. */
  readonly taken: ReadonlySet<string>
  /** The nonces of the requested pages, in order. */
  readonly requestedNonces: string[]
}

/** The origin and the callback receiver, which fails one request in ten and hangs one in fifty. */
export async function startPeers(options: {
  chance: () => number
  callbackSecret: string
}): Promise<LedgerPeers> {
  const arrivals: LedgerArrival[] = []
  const taken = new Set<string>()
  const requestedNonces: string[] = []
  const origin = createServer((request, response) => {
    const { pathname, delayMs } = readRequest(request)
    const nonce = pathname.slice(1)
    requestedNonces.push(nonce)
    later(delayMs, () => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      response.end(gzipSync(pageOf(nonce)))
    })
  })
  const receivers = Array.from({ length: receiverCount }, () =>
    createServer(async (request, response) => {
      const arrival = read(request, await bodyOf(request), options)
      arrivals.push(arrival)
      if (arrival.answer === 200) taken.add(arrival.requestId)
      later(readRequest(request).delayMs, () => answer(response, arrival))
    }),
  )
  const originUrl = await listen(origin)
  const receiverUrls = await Promise.all(receivers.map(listen))
  return {
    originUrl,
    receiverUrls,
    arrivals,
    taken,
    requestedNonces,
    async [Symbol.asyncDispose]() {
      for (const server of [origin, ...receivers]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

/** Reads path and delay from a URL such as `/n-1?delay=100`. */
function readRequest(request: IncomingMessage): { pathname: string; delayMs: number } {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://peer')
  return { pathname, delayMs: Number(searchParams.get('delay') ?? 0) }
}

function later(ms: number, act: () => void): void {
  if (ms > 0) setTimeout(act, ms)
  else act()
}

function read(
  request: IncomingMessage,
  body: string,
  { chance, callbackSecret }: { chance: () => number; callbackSecret: string },
): LedgerArrival {
  const drawn = chance()
  const callback = JSON.parse(body)
  const nonce: string = callback.metadata?.nonce ?? ''
  return {
    requestId: callback.requestId,
    webhookId: String(request.headers['webhook-id']),
    nonce,
    error: callback.error ? `${callback.error.code}: ${callback.error.message}` : undefined,
    atMs: performance.now(),
    answer: drawn < 0.1 ? 500 : drawn < 0.12 ? 'hang' : 200,
    fault: faultOf(request, body, { callback, nonce, callbackSecret }),
  }
}

function faultOf(
  request: IncomingMessage,
  body: string,
  {
    callback,
    nonce,
    callbackSecret,
  }: { callback: ReturnType<typeof JSON.parse>; nonce: string; callbackSecret: string },
): string | undefined {
  try {
    new Webhook(callbackSecret).verify(body, request.headers as Record<string, string>)
  } catch (error) {
    return `signature: ${(error as Error).message}`
  }
  if (request.headers['x-request-id'] !== callback.requestId) return 'another request id'
  if (callback.status === 'completed' && callback.result?.html !== pageOf(nonce)) {
    return 'another page'
  }
  return undefined
}

function answer(response: ServerResponse, { answer: kind }: LedgerArrival): void {
  if (kind !== 'hang') response.writeHead(kind).end()
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeader, request as startRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { ProxyUser } from '../../src/domain/proxy/proxy.ts'
import { type EgressProxy, openEgressProxy } from '../../src/outbound/egress-proxy/egress-proxy.ts'
import type { EgressRules } from '../../src/outbound/guard/address-policy.ts'
import { createEgressGuard } from '../../src/outbound/guard/egress-guard.ts'
import { createGuardedConnect } from '../../src/outbound/guarded-connect.ts'
import { createResolver } from '../../src/outbound/resolver.ts'
import { proxyAuthorization } from '../../src/outbound/upstream-proxy/http-proxy-protocol.ts'
import { parseResponse } from '../support/raw-http.ts'
import { allowing } from './outbound-client.ts'

type ExitOptions = NonNullable<Parameters<typeof openEgressProxy>[1]>

/** An exit that may reach loopback, unless it is told other rules. */
export async function openTestExit(
  t: TestContext,
  {
    rules = allowing('127.0.0.0/8'),
    dns,
    trustedAuthorities,
    ...options
  }: ExitOptions & {
    rules?: EgressRules
    dns?: { address: string }
    trustedAuthorities?: string[]
  } = {},
): Promise<EgressProxy> {
  const guard = createEgressGuard(rules)
  const resolver = createResolver({ servers: [dns?.address ?? '127.0.0.1:1'] })
  const connect = createGuardedConnect({ guard, resolver, trustedAuthorities })
  const exit = await openEgressProxy({ connect }, options)
  t.after(() => exit[Symbol.asyncDispose]())
  return exit
}

/** An exit as its own browser knows it, or, without the credentials, as any other process does. */
export interface ExitPort {
  readonly port: number
  readonly credentials?: ProxyUser
}

/** A browser that says what a test wants. */
export interface RawClient {
  readonly socket: Socket
  /** Everything that has come, one character a byte. */
  readonly text: string
  untilRead(text: string): Promise<void>
  /** Resolves with everything that came, once the exit has closed the connection. */
  readonly closed: Promise<string>
}

/** A test that waits longer than this waits for something that will not happen. */
const waitMsMax = 10_000

export async function connectTo(t: TestContext, exit: ExitPort): Promise<RawClient> {
  const socket = connect({ port: exit.port, host: '127.0.0.1', allowHalfOpen: true })
  authenticateAll(socket, exit)
  await once(socket, 'connect')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(text))
    socket.once('close', () => resolve(text))
  })
  return {
    socket,
    get text() {
      return text
    },
    async untilRead(awaited) {
      const signal = AbortSignal.timeout(waitMsMax)
      while (!text.includes(awaited)) await once(socket, 'data', { signal })
    },
    closed,
  }
}

/** Adds the credentials, as a browser does, to each head that a test writes in one piece. */
function authenticateAll(socket: Socket, { credentials }: ExitPort): void {
  if (!credentials) return
  const header = `Proxy-Authorization: ${proxyAuthorization(credentials)}\r\n`
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  const end = socket.end.bind(socket)
  socket.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest.shift() as BufferEncoding) : 'utf8'
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
    const [line = ''] = /^[A-Z]+ [^\r\n]* HTTP\/1\.[01]\r\n/.exec(bytes.toString('latin1')) ?? []
    const head = Buffer.from(line && line + header, 'latin1')
    return write(Buffer.concat([head, bytes.subarray(line.length)]), ...rest)
  }
  socket.end = (chunk?: unknown) => {
    if (chunk !== undefined) socket.write(chunk as string)
    return end()
  }
}

/** Says something on a new connection and waits until the exit has closed it. */
export async function say(t: TestContext, exit: ExitPort, text: string | Buffer): Promise<string> {
  const client = await connectTo(t, exit)
  client.socket.write(text)
  return client.closed
}

export interface Tunnel extends RawClient {
  readonly status: number
}

/** What is read of it begins after the exit's answer. */
export async function openTunnel(
  t: TestContext,
  exit: ExitPort,
  authority: string,
): Promise<Tunnel> {
  const client = await connectTo(t, exit)
  client.socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  await client.untilRead('\r\n\r\n')
  const end = client.text.indexOf('\r\n\r\n') + 4
  return {
    ...client,
    status: parseResponse(client.text.slice(0, end)).status,
    get text() {
      return client.text.slice(end)
    },
  }
}

export interface PlainAnswer {
  status: number
  /** Names and values in turn. */
  headers: string[]
  body: Buffer
}

/** A plain request on a connection of its own; rejects where there is no whole answer. */
export async function ask(
  exit: ExitPort,
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, OutgoingHttpHeader>; body?: Buffer } = {},
): Promise<PlainAnswer> {
  const { host } = new URL(url)
  const { credentials } = exit
  const own = credentials && { 'proxy-authorization': proxyAuthorization(credentials) }
  const request = startRequest({
    host: '127.0.0.1',
    port: exit.port,
    path: url,
    method,
    agent: false,
    headers: { host, ...own, ...headers },
    signal: AbortSignal.timeout(waitMsMax),
  })
  request.maxHeadersCount = 0
  request.end(body)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  return {
    status: answer.statusCode ?? 0,
    headers: answer.rawHeaders,
    body: Buffer.concat(pieces),
  }
}

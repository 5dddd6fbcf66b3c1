import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { waitAtMost } from '../runtime/deadline.ts'
import { type AppOptions, createApp } from './app.ts'
import { CannotListen } from './cannot-listen.ts'

interface ListenOptions {
  host: string
  port: number
}

export interface HttpServerOptions extends AppOptions, ListenOptions {
  /** How long a draining service still serves everything, so that load balancers notice `/readyz` first. */
  drainDelayMs: number
  /** How long requests in flight may take once new requests are refused. */
  inFlightMsMax: number
  /** Before the delay, as the process may be killed in it. */
  onDraining?(): void
  onRefusing(): void
  /** Announces the listening address; connections are served once the promise resolves. */
  onListening?(address: string, port: number): Promise<void>
}

/** Disposing it is a graceful shutdown: it drains, then closes the listener. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string
  /** Fails readiness, then refuses new requests, and waits for those in flight. Probes are served on. */
  drain(): Promise<void>
}

// How long the last responses, mostly refusals, may take to be read before connections are closed.
const lastResponsesMs = 500
const pollIntervalMs = 20

/** Listens until disposed. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port } = options
  const app = createApp(options)
  const sockets = trackSockets(app.server)
  const opened = acceptOnceAnnounced(app.server, options)
  // If it cannot listen, `once` below throws.
  opened.catch(() => undefined)
  try {
    await app.ready()
    // Not `app.listen`: for `localhost` Fastify opens a second server, which is not announced or limited.
    app.server.listen(port, host)
    await once(app.server, 'listening')
  } catch (error) {
    throw new CannotListen(listenMessage(error as NodeJS.ErrnoException, options), { cause: error })
  }
  try {
    await opened
  } catch (error) {
    await app.close()
    throw error
  }
  const address = app.server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address

  let drained: Promise<void> | undefined
  const drainOnce = () => (drained ??= drainServer({ server: app.server, sockets }, options))
  return {
    url: `http://${name}:${address.port}`,
    drain: drainOnce,
    async [Symbol.asyncDispose]() {
      await drainOnce()
      await stopAccepting(app.server)
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** The default listen backlog: Node asks for 511, and Linux keeps one more. */
const acceptQueueMax = 512

/**
 * Closes connections until the listening port is announced. Other processes (SSRF protection) check whether a
 * local port belongs to this service after they connected to it, so it must be announced before it accepts.
 */
async function acceptOnceAnnounced(server: Server, options: HttpServerOptions): Promise<void> {
  let refused = 0
  const refuse = (socket: Socket): void => {
    refused += 1
    socket.destroy()
  }
  server.prependListener('connection', refuse)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  await options.onListening?.(address, port)
  // Connections established before the announcement may still wait in the accept queue, and each turn of the event
  // loop accepts one. The first immediate may run before the loop polls; between two it always polls, so the queue
  // is empty when a turn has accepted none. The bound stops new connections from prolonging this for ever.
  await nextTurn()
  for (let turn = 0, before = -1; turn < acceptQueueMax && refused > before; turn += 1) {
    before = refused
    await nextTurn()
  }
  server.off('connection', refuse)
}

/** Node knows its connections too, but takes one that was never used for busy until a timeout. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function drainServer(
  { server, sockets }: { server: Server; sockets: ReadonlySet<Socket> },
  { drain, drainDelayMs, inFlightMsMax, onDraining, onRefusing }: HttpServerOptions,
): Promise<void> {
  drain.isDraining = true
  onDraining?.()
  await pause(drainDelayMs)
  drain.isRefusing = true
  onRefusing()
  const unusedTimer = setTimeout(() => closeUnused(sockets), lastResponsesMs)
  const isIdle = await waitUntilIdle(server, AbortSignal.timeout(inFlightMsMax + lastResponsesMs))
  clearTimeout(unusedTimer)
  // Requests still in flight would otherwise meet parts of the service that have stopped.
  if (!isIdle) server.closeAllConnections()
}

/** Closes the connections that browsers and pools open in advance; they would delay the shutdown. */
function closeUnused(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
}

/** Throws `CannotListen` if the port is in use, before the service creates anything. */
export async function requireFreePort({ host, port }: ListenOptions): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new CannotListen(listenMessage(error as NodeJS.ErrnoException, { host, port }), {
      cause: error,
    })
  }
  server.close()
  await once(server, 'close')
}

/** Polls, since counting every request would slow down all of them for the one shutdown. */
async function waitUntilIdle(server: Server, deadline: AbortSignal): Promise<boolean> {
  const countConnections = promisify(server.getConnections.bind(server))
  while (!deadline.aborted) {
    server.closeIdleConnections()
    if ((await countConnections()) === 0) return true
    await pause(pollIntervalMs)
  }
  return false
}

/** Stops accepting connections. Those accepted before still get a response, a refusal at least. */
async function stopAccepting(server: Server): Promise<void> {
  const closed = once(server, 'close')
  // An immediate runs after the loop has accepted what was waiting; the system resets later ones.
  await new Promise((resolve) => setImmediate(resolve))
  server.close()
  await waitAtMost(closed, lastResponsesMs)
}

function listenMessage(error: NodeJS.ErrnoException, options: ListenOptions): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${options.port} is in use. Try: npm start -- --port ${options.port + 1}`
  }
  return `Cannot listen on ${options.host}:${options.port}: ${error.message}`
}

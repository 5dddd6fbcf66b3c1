import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { waitAtMost } from '../runtime/deadline.ts'
import { type AppOptions, createApp } from './app.ts'

interface ListenOptions {
  host: string
  port: number
}

export interface HttpServerOptions extends AppOptions, ListenOptions {
  /** How long a stopping service still answers as ever, so that balancers see `/readyz` turn first. */
  drainDelayMs: number
  /** How long what is under way may take once new requests are refused. */
  inFlightMsMax: number
  onRefusing(): void
  /** Called when it listens; callers are served once the promise resolves. */
  onListening?(address: string, port: number): Promise<void>
}

/** Disposing closes the listener, after draining. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string
  /** Turns readiness, then refuses new requests, and waits for those under way; probes are answered on. */
  drain(): Promise<void>
}

/** The port is taken or the address is not ours. */
export class CannotListen extends Error {}

// Whoever was told at the last moment to ask elsewhere has to hear it.
const lastAnswersMs = 500
const lookedAtEveryMs = 20

/** Listens until disposed. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port } = options
  const app = createApp(options)
  const opened = openWhenAnnounced(app.server, options)
  // That it cannot listen is said by `listen` itself.
  opened.catch(() => undefined)
  try {
    await app.ready()
    // Not `app.listen`: for `localhost` Fastify opens a second server, without our limits and unannounced.
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
  const drainOnce = () => (drained ??= drainServer(app.server, options))
  return {
    url: `http://${name}:${address.port}`,
    drain: drainOnce,
    async [Symbol.asyncDispose]() {
      await drainOnce()
      await closeDoor(app.server)
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** Of a listener that was opened without a length of its own: Node asks for 511, and Linux keeps one more. */
const acceptQueueMax = 512

/**
 * Closes connections until it is announced that the server listens. Other processes check who listens at a port of
 * this machine after they have connected to it, so whatever is accepted has to be announced before.
 */
async function openWhenAnnounced(server: Server, options: HttpServerOptions): Promise<void> {
  let refused = 0
  const refuse = (socket: Socket): void => {
    refused += 1
    socket.destroy()
  }
  server.prependListener('connection', refuse)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  await options.onListening?.(address, port)
  // Connections that were established before the announcement may still wait in the accept queue, and each turn of
  // the event loop accepts one. The first immediate may run before the loop polls; between two it always polls, so
  // the queue is empty when a turn has accepted none. Who comes meanwhile cannot prolong this for ever.
  await nextTurn()
  for (let turn = 0, before = -1; turn < acceptQueueMax && refused > before; turn += 1) {
    before = refused
    await nextTurn()
  }
  server.off('connection', refuse)
}

async function drainServer(
  server: Server,
  { drain, drainDelayMs, inFlightMsMax, onRefusing }: HttpServerOptions,
): Promise<void> {
  drain.isDraining = true
  await pause(drainDelayMs)
  drain.isRefusing = true
  onRefusing()
  const isIdle = await untilIdle(server, AbortSignal.timeout(inFlightMsMax + lastAnswersMs))
  // What is still under way would otherwise meet parts of the service that have stopped.
  if (!isIdle) server.closeAllConnections()
}

/** Throws `CannotListen` while another process has the port, before anything is made for a service. */
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

/** Looks again and again rather than counting every request for the one time that it matters. */
async function untilIdle(server: Server, deadline: AbortSignal): Promise<boolean> {
  const countConnections = promisify(server.getConnections.bind(server))
  while (!deadline.aborted) {
    server.closeIdleConnections()
    if ((await countConnections()) === 0) return true
    await pause(lookedAtEveryMs)
  }
  return false
}

/** Whoever came in before the door closed is answered as well, if only that it is too late. */
async function closeDoor(server: Server): Promise<void> {
  const closed = once(server, 'close')
  // Right after the loop let in who was knocking: the system cuts off whoever still does.
  await new Promise((resolve) => setImmediate(resolve))
  server.close()
  await waitAtMost(closed, lastAnswersMs)
}

function listenMessage(error: NodeJS.ErrnoException, options: ListenOptions): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${options.port} is in use. Try: npm start -- --port ${options.port + 1}`
  }
  return `Cannot listen on ${options.host}:${options.port}: ${error.message}`
}

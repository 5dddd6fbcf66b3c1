import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type AppOptions, createApp } from './app.ts'

export interface HttpServerOptions extends AppOptions {
  port: number
  /** How long a stopping service still answers as ever, so that balancers see `/readyz` turn first. */
  drainDelayMs: number
  /** How long what is under way may take once new requests are refused. */
  inFlightMsMax: number
  onRefusing(): void
  /** Called when it listens; callers are served once the promise resolves. */
  onListening?(address: string, port: number): Promise<void>
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string
}

/** The port is taken or the address is not ours. */
export class CannotListen extends Error {}

// Whoever was told at the last moment to ask elsewhere has to hear it.
const lastAnswersMs = 500
const lookedAtEveryMs = 20

/** Listens until disposed. Stopping: readiness turns first, then new requests are refused, then the door closes. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, port, drain, drainDelayMs, inFlightMsMax } = options
  const app = createApp(options)
  const opened = openWhenAnnounced(app.server, options)
  // That it cannot listen is said by `listen` itself.
  opened.catch(() => undefined)
  try {
    await app.listen({ host, port })
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

  return {
    url: `http://${name}:${address.port}`,
    async [Symbol.asyncDispose]() {
      drain.isDraining = true
      await pause(drainDelayMs)
      drain.isRefusing = true
      options.onRefusing()
      await untilIdle(app.server, AbortSignal.timeout(inFlightMsMax + lastAnswersMs))
      await closeDoor(app.server)
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/**
 * Closes connections until it is announced that the server listens. Other processes check who listens at a port of
 * this machine after they have connected to it, so whatever is accepted has to be announced before.
 */
async function openWhenAnnounced(server: Server, options: HttpServerOptions): Promise<void> {
  const refuse = (socket: Socket): void => void socket.destroy()
  server.prependListener('connection', refuse)
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  await options.onListening?.(address, port)
  server.off('connection', refuse)
}

/** Looks again and again rather than counting every request for the one time that it matters. */
async function untilIdle(server: Server, deadline: AbortSignal): Promise<void> {
  const countConnections = promisify(server.getConnections.bind(server))
  while (!deadline.aborted) {
    server.closeIdleConnections()
    if ((await countConnections()) === 0) return
    await pause(lookedAtEveryMs)
  }
}

/** Whoever came in before the door closed is answered as well, if only that it is too late. */
async function closeDoor(server: Server): Promise<void> {
  const closed = once(server, 'close')
  // Right after the loop let in who was knocking: the system cuts off whoever still does.
  await new Promise((resolve) => setImmediate(resolve))
  server.close()
  await Promise.race([closed, pause(lastAnswersMs)])
}

function listenMessage(error: NodeJS.ErrnoException, options: HttpServerOptions): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${options.port} is in use. Try: npm start -- --port ${options.port + 1}`
  }
  return `Cannot listen on ${options.host}:${options.port}: ${error.message}`
}

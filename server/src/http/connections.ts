import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../domain/failure.ts'
import { respondAndClose } from './errors/client-error.ts'

export interface ConnectionLimits {
  /** Open at once. One address may have half of them, so that it cannot shut out the others. */
  connectionsMax: number
  /** How long a caller may stop reading a response (slow read attack). */
  unreadMsMax: number
}

// No client needs to pipeline as many requests, and each response that is not read yet takes memory.
const pipelinedMax = 32

const checkIntervalMs = 1_000

/** Limits the number of connections, and closes those whose callers do not read their responses. */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  const open = new Map<Socket, Progress>()
  const perAddress = new Map<string, number>()
  const perAddressMax = Math.ceil(limits.connectionsMax / 2)

  // This listener replaces Node's own, so that Node never sees a refused connection.
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const ofAddress = perAddress.get(address) ?? 0
    if (open.size >= limits.connectionsMax || ofAddress >= perAddressMax) {
      respondAndClose(socket, tooMany())
      return
    }
    const progress = { unsent: 0, dispatched: 0, sinceMs: performance.now(), pipelined: 0 }
    open.set(socket, progress)
    perAddress.set(address, ofAddress + 1)
    socket.once('close', () => {
      open.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    for (const listener of listeners) listener.call(server, socket)
    stopParserWhen(() => progress.pipelined >= pipelinedMax, socket)
  })
  const timer = setInterval(() => closeUnread(open, limits.unreadMsMax), checkIntervalMs).unref()
  server.once('close', () => clearInterval(timer))
  server.prependListener('request', ({ socket }, response) => {
    const progress = open.get(socket)
    if (progress) countPipelined(progress, response)
  })
  return { isFlooded: (socket) => (open.get(socket)?.pipelined ?? 0) >= pipelinedMax }
}

export interface Connections {
  /** Whether too many pipelined requests wait for their responses. */
  isFlooded(socket: Socket): boolean
}

interface Progress {
  /** Bytes written to the socket, and how many of them the caller has not read yet. */
  dispatched: number
  unsent: number
  sinceMs: number
  newest?: ServerResponse
  /** Responses that were not sent yet when the next request came. */
  pipelined: number
}

type ParsedSocket = Socket & {
  parser?: { onIncoming?: ((...request: unknown[]) => number) | undefined } | null
}

/**
 * One read brings almost two thousand small requests, and parsing them all would stop the event loop for
 * everybody. Node has no public way to stop its parser in the middle of a read.
 */
function stopParserWhen(isFlooded: () => boolean, { parser }: ParsedSocket): void {
  const onIncoming = parser?.onIncoming
  if (!parser || !onIncoming) return
  parser.onIncoming = (...request) => (isFlooded() ? stopsParsing : onIncoming(...request))
}

/** As if another protocol followed. The request before got the refusal, which ends the connection. */
const stopsParsing = 2

/** Only pipelined requests get a listener: one on every response would slow down all callers. */
function countPipelined(progress: Progress, response: ServerResponse): void {
  const before = progress.newest
  progress.newest = response
  if (!before || before.writableFinished || before.destroyed) return
  progress.pipelined += 1
  before.once('close', () => {
    progress.pipelined -= 1
  })
}

/** Polls all connections: a timer for every response would slow down all callers. */
function closeUnread(open: Map<Socket, Progress>, unreadMsMax: number): void {
  const nowMs = performance.now()
  for (const [socket, progress] of open) {
    const unsent = unsentBytes(socket)
    const dispatched = socket.bytesWritten
    if (unsent === 0 || unsent !== progress.unsent || dispatched !== progress.dispatched) {
      Object.assign(progress, { unsent, dispatched, sinceMs: nowMs })
    } else if (nowMs - progress.sinceMs > unreadMsMax) socket.destroy()
  }
}

/**
 * The bytes in libuv's write queue, which Node's own idle timers use too. The public counters do not
 * move until the whole of a large response was written.
 */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? socket.writableLength
}

const tooMany = () => new Failure('OVERLOADED', 'Too many connections. Use fewer, or wait.')

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
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
    const sinceMs = performance.now()
    const progress: Progress = { unsent: 0, dispatched: 0, sinceMs, pipelined: 0, queued: 0 }
    open.set(socket, progress)
    perAddress.set(address, ofAddress + 1)
    socket.once('close', () => {
      open.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    for (const listener of listeners) listener.call(server, socket)
    // Node resumes it with each response.
    socket.on('resume', () => void (progress.queued > 0 && socket.pause()))
    stopParserWhen(() => progress.refused !== undefined, socket)
  })
  const timer = setInterval(() => closeUnread(open, limits.unreadMsMax), checkIntervalMs).unref()
  server.once('close', () => clearInterval(timer))
  handlePipelinedInTurn(server, (socket, response) => {
    const progress = open.get(socket)
    return progress && countPipelined(progress, response) ? progress : undefined
  })
  return { isFlooding: (response) => open.get(response.req.socket)?.refused === response }
}

export interface Connections {
  /** Whether the request came when too many before it waited for their responses. */
  isFlooding(response: ServerResponse): boolean
}

interface Progress {
  /** Bytes written to the socket, and how many of them the caller has not read yet. */
  dispatched: number
  unsent: number
  sinceMs: number
  newest?: ServerResponse
  /** Responses that were not sent yet when the next request came. */
  pipelined: number
  /** Pipelined requests that wait to be handled; until then no more are read. */
  queued: number
  /** The response to the request that was one too many; it ends the connection. */
  refused?: ServerResponse
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

/**
 * Returns whether the request is pipelined. Only such requests get a listener: one on every response would
 * slow down all callers.
 */
function countPipelined(progress: Progress, response: ServerResponse): boolean {
  const before = progress.newest
  progress.newest = response
  if (!before || before.writableFinished || before.destroyed) return false
  progress.pipelined += 1
  if (progress.pipelined >= pipelinedMax) progress.refused ??= response
  before.once('close', () => {
    progress.pipelined -= 1
  })
  return true
}

/** In one round of the event loop, of all connections together: so few that other requests hardly notice. */
const pipelinedInRound = 8

/**
 * Handles other requests at once, and pipelined ones, of which one read of each connection brings many, a few
 * in a round of the event loop. A connection is not read while some of its own wait: reading them takes
 * longer than handling them where their headers are large.
 */
function handlePipelinedInTurn(
  server: Server,
  findPipelined: (socket: Socket, response: ServerResponse) => Progress | undefined,
): void {
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  const waiting: (() => void)[] = []
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    const handle = () => {
      for (const handler of handlers) handler.call(server, request, response)
    }
    const pipelined = findPipelined(socket, response)
    if (!pipelined) return handle()
    socket.pause()
    pipelined.queued += 1
    waiting.push(() => {
      pipelined.queued -= 1
      if (socket.destroyed) return
      handle()
      if (pipelined.queued === 0) socket.resume()
    })
    if (waiting.length === 1) setImmediate(handleSome)
  })

  function handleSome(): void {
    for (const handle of waiting.slice(0, pipelinedInRound)) handle()
    waiting.splice(0, pipelinedInRound)
    if (waiting.length > 0) setImmediate(handleSome)
  }
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

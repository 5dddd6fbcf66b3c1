import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Failure } from '../domain/failure.ts'
import { endWith } from './client-error.ts'

export interface ConnectionLimits {
  /** Open at once; of one address no more than half of them, so that nobody can shut out the rest. */
  connectionsMax: number
  /** How long a caller may take to read on. */
  unreadMsMax: number
}

// No client has reason to send as many requests without waiting for an answer, and each answer that is
// not read yet lies in memory.
const unansweredMax = 32

const lookedAtEveryMs = 1_000

/** Keeps the number of connections within bounds, and ends those whose callers do not read what they asked for. */
export function boundConnections(server: Server, limits: ConnectionLimits): Connections {
  const open = new Map<Socket, Progress>()
  const perAddress = new Map<string, number>()
  const perAddressMax = Math.ceil(limits.connectionsMax / 2)

  // In front of Node's own listener, which must not see whom we do not serve.
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const ofAddress = perAddress.get(address) ?? 0
    if (open.size >= limits.connectionsMax || ofAddress >= perAddressMax) {
      endWith(socket, tooMany())
      return
    }
    open.set(socket, { unsent: 0, dispatched: 0, sinceMs: performance.now(), unanswered: 0 })
    perAddress.set(address, ofAddress + 1)
    socket.once('close', () => {
      open.delete(socket)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    for (const listener of serve) listener.call(server, socket)
  })
  const timer = setInterval(() => endUnread(open, limits.unreadMsMax), lookedAtEveryMs).unref()
  server.once('close', () => clearInterval(timer))
  server.prependListener('request', ({ socket }, response) => {
    const progress = open.get(socket)
    if (progress) countUnanswered(progress, response)
  })
  return { isFlooded: (socket) => (open.get(socket)?.unanswered ?? 0) >= unansweredMax }
}

export interface Connections {
  /** Whether more requests came on it than anyone needs to send without waiting for an answer. */
  isFlooded(socket: Socket): boolean
}

interface Progress {
  /** What was given to the socket, and what of it the caller has not taken yet. */
  dispatched: number
  unsent: number
  sinceMs: number
  newest?: ServerResponse
  /** Answers that were still to be sent when the next request came. */
  unanswered: number
}

/** Only who sends on without waiting is counted: a listener for every answer would cost all callers. */
function countUnanswered(progress: Progress, response: ServerResponse): void {
  const before = progress.newest
  progress.newest = response
  if (!before || before.writableFinished || before.destroyed) return
  progress.unanswered += 1
  before.once('close', () => {
    progress.unanswered -= 1
  })
}

/** Looked at now and then: a timer on every answer would cost all for the sake of a few. */
function endUnread(open: Map<Socket, Progress>, unreadMsMax: number): void {
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
 * What libuv still holds, as the idle timers of Node itself look at it: the public figures stand still
 * until the whole of one large answer was taken.
 */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? socket.writableLength
}

const tooMany = () => new Failure('OVERLOADED', 'Too many connections. Use fewer, or wait.')

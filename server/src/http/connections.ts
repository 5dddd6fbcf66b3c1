import type { Server } from 'node:http'
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
    open.set(socket, { sentBytes: 0, sinceMs: performance.now(), unanswered: 0 })
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
    if (!progress) return
    progress.unanswered += 1
    response.once('close', () => {
      progress.unanswered -= 1
    })
  })
  return { isFlooded: (socket) => (open.get(socket)?.unanswered ?? 0) > unansweredMax }
}

export interface Connections {
  /** Whether more requests came on it than anyone needs to send without waiting for an answer. */
  isFlooded(socket: Socket): boolean
}

interface Progress {
  sentBytes: number
  sinceMs: number
  /** Requests that came and wait for their answers to be sent. */
  unanswered: number
}

/** Looked at now and then: a timer on every answer would cost all for the sake of a few. */
function endUnread(open: Map<Socket, Progress>, unreadMsMax: number): void {
  const nowMs = performance.now()
  for (const [socket, progress] of open) {
    const sentBytes = socket.bytesWritten - socket.writableLength
    if (socket.writableLength === 0 || sentBytes !== progress.sentBytes) {
      progress.sentBytes = sentBytes
      progress.sinceMs = nowMs
    } else if (nowMs - progress.sinceMs > unreadMsMax) socket.destroy()
  }
}

const tooMany = () => new Failure('OVERLOADED', 'Too many connections. Use fewer, or wait.')

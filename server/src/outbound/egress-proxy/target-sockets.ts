import type { Socket } from 'node:net'
import { type OutboundProblem, outboundError } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

/** One connection to a target, from the moment it is requested. */
interface TargetSocket {
  readonly target: Target
  /** Aborted if the connection is closed before it is open. */
  readonly opening: AbortController
  /** Undefined while it is being opened. */
  socket: Socket | undefined
  /** The underlying TCP socket, once it is dialled. */
  wire: Socket | undefined
}

export type TargetSockets = ReturnType<typeof createTargetSockets>

/** The connections of one egress proxy, with their byte counts. */
export function createTargetSockets() {
  const sockets = new Set<TargetSocket>()
  const ended = { received: 0, sent: 0 }

  return {
    [Symbol.iterator]: () => sockets.values(),
    get size(): number {
      return sockets.size
    },
    /** Bytes on the wire, of open and of closed connections. */
    get bytes(): { received: number; sent: number } {
      const bytes = { ...ended }
      for (const { wire } of sockets) count(wire, bytes)
      return bytes
    },
    add(target: Target): TargetSocket {
      const opening = new AbortController()
      const one: TargetSocket = { target, opening, socket: undefined, wire: undefined }
      sockets.add(one)
      return one
    },
    /** Throws an `OutboundError` if it was closed, by us or by the peer, while it was being opened. */
    setOpen(one: TargetSocket, socket: Socket): void {
      if (!sockets.has(one)) {
        socket.destroy()
        throw outboundError('aborted')
      }
      if (socket.destroyed) throw outboundError('unreachable')
      one.socket = socket
      socket.once('close', () => remove(one))
    },
    /** Closes it; its user gets the problem as an error. */
    end(one: TargetSocket, problem: OutboundProblem): void {
      const error = outboundError(problem)
      one.opening.abort(error)
      one.socket?.destroy(error)
      remove(one)
    },
  }

  function remove(one: TargetSocket): void {
    if (sockets.delete(one)) count(one.wire, ended)
  }
}

function count(wire: Socket | undefined, bytes: { received: number; sent: number }): void {
  bytes.received += wire?.bytesRead ?? 0
  bytes.sent += wire?.bytesWritten ?? 0
}

import type { Socket } from 'node:net'
import { type OutboundProblem, outboundError } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

/** One connection to a target, from the moment it is asked for. */
interface ExitSocket {
  readonly target: Target
  /** Aborted when it is ended before it is open. */
  readonly opening: AbortController
  /** Undefined while it is being opened. */
  socket: Socket | undefined
  /** What it goes over, as soon as there is something. */
  wire: Socket | undefined
}

/** The connections of one exit and what they have carried. */
export interface TargetSockets extends Iterable<ExitSocket> {
  readonly size: number
  /** What crossed the wire, of those that are open and of those that were. */
  readonly bytes: { received: number; sent: number }
  add(target: Target): ExitSocket
  /** Throws an `OutboundError` when it was ended, or has ended, while it was being opened. */
  setOpen(one: ExitSocket, socket: Socket): void
  /** Whoever is using it is told the problem. */
  end(one: ExitSocket, problem: OutboundProblem): void
}

export function createTargetSockets(): TargetSockets {
  const sockets = new Set<ExitSocket>()
  const ended = { received: 0, sent: 0 }

  return {
    [Symbol.iterator]: () => sockets.values(),
    get size() {
      return sockets.size
    },
    get bytes() {
      const bytes = { ...ended }
      for (const { wire } of sockets) count(wire, bytes)
      return bytes
    },
    add(target) {
      const opening = new AbortController()
      const one: ExitSocket = { target, opening, socket: undefined, wire: undefined }
      sockets.add(one)
      return one
    },
    setOpen(one, socket) {
      if (!sockets.has(one)) {
        socket.destroy()
        throw outboundError('aborted')
      }
      if (socket.destroyed) throw outboundError('unreachable')
      one.socket = socket
      socket.once('close', () => leave(one))
    },
    end(one, problem) {
      const error = outboundError(problem)
      one.opening.abort(error)
      one.socket?.destroy(error)
      leave(one)
    },
  }

  function leave(one: ExitSocket): void {
    if (sockets.delete(one)) count(one.wire, ended)
  }
}

function count(wire: Socket | undefined, bytes: { received: number; sent: number }): void {
  bytes.received += wire?.bytesRead ?? 0
  bytes.sent += wire?.bytesWritten ?? 0
}

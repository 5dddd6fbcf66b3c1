import type { FastifyRequest } from 'fastify'
import { Failure } from '../../domain/failure.ts'

/** A `Failure`, so that the error handler does not log it as a bug. */
export const callerDisconnected = () =>
  new Failure('CANCELLED', 'The caller disconnected too early.')

/** Lets what waits leave when the caller disconnects; to be ended by what it returns. */
export const untilDisconnected =
  ({ raw: { socket } }: Pick<FastifyRequest, 'raw'>) =>
  (leave: (reason: unknown) => void): (() => void) => {
    const onClose = () => leave(callerDisconnected())
    if (socket.destroyed) onClose()
    // As many as the connection has requests under way.
    else socket.setMaxListeners(0).once('close', onClose)
    return () => socket.off('close', onClose)
  }

/** The same where a signal says that the caller has gone. */
export const untilAborted =
  (signal: AbortSignal) =>
  (leave: (reason: unknown) => void): (() => void) => {
    const onAbort = () => leave(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    return () => signal.removeEventListener('abort', onAbort)
  }

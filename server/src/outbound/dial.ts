import { connect, type Socket } from 'node:net'
import { Deadline } from '../runtime/deadline.ts'
import { outboundDeadline } from './outbound-deadline.ts'
import { outboundError } from './outbound-error.ts'

/** Happy eyeballs (RFC 8305): how long one address may take before the next is tried in parallel. */
const headStartMs = 300
/** How long until a process that has no file descriptor left tries to open the connection again. */
const noDescriptorPauseMs = 100

/** Connects to the first address that accepts. It takes no names, so it makes no DNS lookup. */
export async function dial(
  addresses: readonly string[],
  port: number,
  limits: { signal: AbortSignal; deadlineMs: number },
): Promise<Socket> {
  using deadline = new Deadline(outboundDeadline(limits))
  const { promise: connected, resolve, reject } = Promise.withResolvers<Socket>()
  const waiting = [...addresses]
  const attempts = new Set<Socket>()
  let headStart: NodeJS.Timeout | undefined
  let retry: NodeJS.Timeout | undefined

  const tryNext = () => {
    clearTimeout(headStart)
    const host = waiting.shift()
    if (host === undefined) return
    const socket = connect({ host, port, noDelay: true })
    attempts.add(socket)
    socket.once('connect', () => resolve(socket))
    // This listener stays: an error event without a listener would end the process.
    socket.on('error', (error) => {
      if (!attempts.delete(socket)) return
      if (isOutOfDescriptors(error)) {
        waiting.push(host)
        retry = setTimeout(tryNext, noDescriptorPauseMs)
      } else if (waiting.length > 0) tryNext()
      else if (attempts.size === 0) reject(outboundError('unreachable', error))
    })
    if (waiting.length > 0) headStart = setTimeout(tryNext, headStartMs)
  }

  try {
    if (!deadline.isOver) tryNext()
    const winner = await deadline.race(connected)
    attempts.delete(winner)
    return winner
  } finally {
    clearTimeout(headStart)
    clearTimeout(retry)
    const losers = [...attempts]
    attempts.clear()
    for (const socket of losers) socket.destroy()
  }
}

/** Our own trouble, of which the target knows nothing. */
const isOutOfDescriptors = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EMFILE' || code === 'ENFILE'

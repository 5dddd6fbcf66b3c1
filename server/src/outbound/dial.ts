import { connect, type Socket } from 'node:net'
import { outboundError } from './outbound-error.ts'

/** How long one address may take before the next one is tried beside it. */
const headStartMs = 300

/**
 * Connects to the first of these addresses that answers. They are addresses, never names: nothing
 * is looked up here.
 */
export function dial(
  addresses: readonly string[],
  port: number,
  { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number },
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const waiting = [...addresses]
    const attempts = new Set<Socket>()
    let headStart: NodeJS.Timeout | undefined

    const finish = (winner?: Socket) => {
      clearTimeout(deadline)
      clearTimeout(headStart)
      signal.removeEventListener('abort', giveUp)
      for (const socket of attempts) if (socket !== winner) socket.destroy()
      attempts.clear()
    }
    const fail = (error: Error) => {
      finish()
      reject(error)
    }
    const giveUp = () => fail(outboundError('aborted', signal.reason))
    const deadline = setTimeout(() => fail(outboundError('timeout')), deadlineMs)
    signal.addEventListener('abort', giveUp)

    const tryNext = () => {
      clearTimeout(headStart)
      const host = waiting.shift()
      if (host === undefined) return
      const socket = connect({ host, port, noDelay: true })
      attempts.add(socket)
      socket.once('connect', () => {
        finish(socket)
        resolve(socket)
      })
      // Stays for good: an error that comes while nobody listens would end the process.
      socket.on('error', (error) => {
        if (!attempts.delete(socket)) return
        if (waiting.length > 0) tryNext()
        else if (attempts.size === 0) fail(outboundError('unreachable', error))
      })
      if (waiting.length > 0) headStart = setTimeout(tryNext, headStartMs)
    }
    if (signal.aborted) giveUp()
    else tryNext()
  })
}

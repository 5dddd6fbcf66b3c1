import { isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { withDeadline } from '../runtime/deadline.ts'
import { outboundDeadline } from './outbound-deadline.ts'
import { outboundError } from './outbound-error.ts'

/** Starts TLS and requires a trusted certificate for that host; otherwise it closes the connection. */
export async function startTls(
  socket: Socket,
  options: { host: string; ca: string[] | undefined; deadlineMs: number; signal: AbortSignal },
): Promise<Socket> {
  const secured = connect({
    socket,
    // The certificate must name this host. An IP address is never sent as a server name (SNI).
    host: options.host,
    servername: isIP(options.host) === 0 ? options.host : '',
    ALPNProtocols: ['http/1.1'],
    // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch verification off.
    rejectUnauthorized: true,
    ...(options.ca && { ca: options.ca }),
  })
  const handshake = new Promise<void>((resolve, reject) => {
    secured.once('secureConnect', resolve)
    // This listener stays: an error event without a listener would end the process.
    secured.on('error', (error) => reject(outboundError(problemOf(error), error)))
    secured.once('close', () => reject(outboundError('unreachable')))
  })
  try {
    await withDeadline(handshake, outboundDeadline(options))
    return secured
  } catch (error) {
    secured.destroy()
    socket.destroy()
    throw error
  }
}

const problemOf = (error: NodeJS.ErrnoException) =>
  error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'unreachable' : 'tls'

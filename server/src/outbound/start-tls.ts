import { isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { withDeadline } from '../runtime/deadline.ts'
import { outboundDeadline } from './outbound-deadline.ts'
import { outboundError } from './outbound-error.ts'

/** Begins TLS on a connection with whoever has a certificate for that host; it is ended where that fails. */
export async function startTls(
  socket: Socket,
  options: { host: string; ca: string[] | undefined; deadlineMs: number; signal: AbortSignal },
): Promise<Socket> {
  const secured = connect({
    socket,
    // Whom the certificate must name, also where it is an address, which is never sent as a name.
    host: options.host,
    servername: isIP(options.host) === 0 ? options.host : '',
    ALPNProtocols: ['http/1.1'],
    // Said here, so that no variable of the environment can switch it off.
    rejectUnauthorized: true,
    ...(options.ca && { ca: options.ca }),
  })
  const shaken = new Promise<void>((resolve, reject) => {
    secured.once('secureConnect', resolve)
    // Stays: an error that comes while nobody listens would end the process.
    secured.on('error', (error) => reject(outboundError(problemOf(error), error)))
    secured.once('close', () => reject(outboundError('unreachable')))
  })
  try {
    await withDeadline(shaken, outboundDeadline(options))
    return secured
  } catch (error) {
    secured.destroy()
    socket.destroy()
    throw error
  }
}

const problemOf = (error: NodeJS.ErrnoException) =>
  error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'unreachable' : 'tls'

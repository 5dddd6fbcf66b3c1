import type { Socket } from 'node:net'
import { outboundError } from '../outbound-error.ts'

/** Reads exactly so many bytes from a socket without other readers; later bytes stay in it. */
export function readBytes(socket: Socket, count: number): Promise<Buffer> {
  return readUntil(socket, () => {
    const bytes: Buffer | null = socket.read(count)
    // At its end a stream returns fewer bytes.
    if (bytes && bytes.length < count) throw outboundError('unreachable')
    return bytes ?? undefined
  })
}

/** Reads up to the first empty line, which is dropped; later bytes stay in the socket. */
export async function readHead(socket: Socket, bytesMax: number): Promise<string> {
  let read = Buffer.alloc(0)
  const end = await readUntil(socket, () => {
    for (let piece = socket.read(); piece; piece = socket.read())
      read = Buffer.concat([read, piece])
    const found = read.indexOf(emptyLine)
    if ((found < 0 ? read.length : found) > bytesMax) throw outboundError('bad_response')
    return found < 0 ? undefined : found
  })
  const rest = read.subarray(end + emptyLine.length)
  if (rest.length > 0) socket.unshift(rest)
  return read.toString('latin1', 0, end)
}

const emptyLine = '\r\n\r\n'

/** Calls `take` whenever bytes have come, until it returns a value. */
function readUntil<Value>(socket: Socket, take: () => Value | undefined): Promise<Value> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      socket.off('readable', tryTake)
      socket.off('end', onEnd)
      socket.off('close', onEnd)
    }
    const onEnd = () => {
      finish()
      reject(outboundError('unreachable', socket.errored ?? undefined))
    }
    const tryTake = () => {
      try {
        const value = take()
        if (value === undefined) return
        finish()
        resolve(value)
      } catch (error) {
        finish()
        reject(error)
      }
    }
    socket.on('readable', tryTake)
    socket.on('end', onEnd)
    socket.on('close', onEnd)
    if (socket.destroyed) onEnd()
    else tryTake()
  })
}

import type { Socket } from 'node:net'
import { outboundError } from '../outbound-error.ts'

/** Exactly so many bytes of a socket that nobody else reads yet; what follows them stays in it. */
export function readBytes(socket: Socket, count: number): Promise<Buffer> {
  return readUntil(socket, () => {
    const bytes: Buffer | null = socket.read(count)
    // At its end a stream gives what is left of it.
    if (bytes && bytes.length < count) throw outboundError('unreachable')
    return bytes ?? undefined
  })
}

/** Everything up to an empty line, which is left out; what follows it stays in the socket. */
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

/** Asks for it again whenever something has come, until it is there. */
function readUntil<Value>(socket: Socket, take: () => Value | undefined): Promise<Value> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      socket.off('readable', look)
      socket.off('end', giveUp)
      socket.off('close', giveUp)
    }
    const giveUp = () => {
      finish()
      reject(outboundError('unreachable', socket.errored ?? undefined))
    }
    const look = () => {
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
    socket.on('readable', look)
    socket.on('end', giveUp)
    socket.on('close', giveUp)
    if (socket.destroyed) giveUp()
    else look()
  })
}

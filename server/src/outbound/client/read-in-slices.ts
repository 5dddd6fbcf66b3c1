import type { Socket } from 'node:net'

const sliceBytes = 4096

/**
 * Hands a socket's bytes on in small pieces. Undici refuses headers beyond their limit, but reads the
 * piece it has to its end, with an error for each further header: 300 ms for a piece of 64 KiB.
 */
export function readInSlices(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    if (socket.destroyed) return null
    const { readableLength } = socket
    return read(size ?? (readableLength > sliceBytes ? sliceBytes : undefined))
  }
}

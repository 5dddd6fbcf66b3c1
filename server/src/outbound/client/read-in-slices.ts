import type { Socket } from 'node:net'

const sliceBytes = 4096

/**
 * Makes a socket return its bytes in small pieces. Undici refuses headers beyond their limit, but parses the
 * current piece to its end, with an error for each further header: 300 ms for a piece of 64 KiB.
 */
export function readInSlices(socket: Socket): void {
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    if (socket.destroyed) return null
    const { readableLength } = socket
    return read(size ?? (readableLength > sliceBytes ? sliceBytes : undefined))
  }
}

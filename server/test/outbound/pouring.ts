import type { Socket } from 'node:net'
import { until } from '../support/until.ts'

/** The same again and again, as fast as it is taken. */
export function pour(socket: Socket): void {
  const piece = Buffer.alloc(65_536)
  const write = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', write)
  write()
}

/** A figure that has grown and does not any more. */
export async function untilStill(count: () => number): Promise<number> {
  let last = 0
  let sinceMs = performance.now()
  await until(() => {
    const now = count()
    if (now !== last) sinceMs = performance.now()
    last = now
    return last > 0 && performance.now() - sinceMs > 400
  })
  return last
}

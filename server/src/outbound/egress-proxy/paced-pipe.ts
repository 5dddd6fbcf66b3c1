import type { Readable, Writable } from 'node:stream'

/**
 * Pipes one piece in a round of the event loop. From a fast target Node would read 2 MB of each connection
 * before anybody else had a turn.
 */
export function pipePaced(source: Readable, destination: Writable): void {
  const resume = () => {
    // Otherwise it is resumed when the destination has drained.
    if (!destination.writableNeedDrain) source.resume()
  }
  source.on('data', () => {
    source.pause()
    setImmediate(resume)
  })
  source.pipe(destination)
}

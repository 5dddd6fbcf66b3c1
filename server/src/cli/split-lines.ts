const lineFeed = 0x0a

/**
 * The lines of a stream of bytes, one in memory at a time. `readline` would also split at U+2028, which
 * JSON has inside its strings. A line that is too long ends the iteration with the error of `tooLong`.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  { bytesMax, tooLong }: { bytesMax: number; tooLong(): Error },
): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  let bytes = 0
  const add = (part: Uint8Array) => {
    bytes += part.length
    if (bytes > bytesMax) throw tooLong()
    parts.push(part)
  }
  const take = (): string => {
    const line = Buffer.concat(parts).toString('utf8')
    parts = []
    bytes = 0
    return line
  }
  for await (const chunk of chunks) {
    let from = 0
    for (let to = chunk.indexOf(lineFeed); to !== -1; to = chunk.indexOf(lineFeed, from)) {
      add(chunk.subarray(from, to))
      yield take()
      from = to + 1
    }
    add(chunk.subarray(from))
  }
  if (bytes > 0) yield take()
}

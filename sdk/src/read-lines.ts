/** Yields the lines of a body as they arrive, without their ends; a last line without an end too. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  // Pieces of the line that has not ended. Only new text is searched: a page can be megabytes long.
  let pieces: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    for (const next of rest) {
      yield withoutReturn(pieces.join(''))
      pieces = [next]
    }
  }
  const last = pieces.join('') + decoder.decode()
  if (last !== '') yield withoutReturn(last)
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line)

/** Reads a body chunk by chunk; not every browser can iterate a stream. */
export async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  if (!reader) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Whoever stops reading early hangs up.
    await reader.cancel().catch(() => undefined)
  }
}

// A result has a page of 20 MB at most, which JSON may escape.
const charactersMaxByDefault = 256 * 2 ** 20

/**
 * Yields the lines of a body as they arrive, without their ends; a last line without an end too. One that
 * is too long is a `RangeError`, before it fills the memory.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { charactersMax = charactersMaxByDefault }: { charactersMax?: number | undefined } = {},
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  // Pieces of the line that has not ended. Only new text is searched: a page can be megabytes long.
  let pieces: string[] = []
  let length = 0
  const add = (piece: string) => {
    length += piece.length
    if (length > charactersMax) {
      throw new RangeError(`A line has more than ${charactersMax} characters.`)
    }
    pieces.push(piece)
  }
  for await (const chunk of chunks) {
    const [first = '', ...rest] = decoder.decode(chunk, { stream: true }).split('\n')
    add(first)
    for (const next of rest) {
      yield withoutReturn(pieces.join(''))
      pieces = []
      length = 0
      add(next)
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

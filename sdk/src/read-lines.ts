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

/** One event of a `text/event-stream`. */
export interface ServerSentEvent {
  id: string | undefined
  data: string
}

/** Yields the events of a body as they arrive; comments, which keep it alive, are left out. */
export const readServerSentEvents = (
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<ServerSentEvent, void, undefined> => parseServerSentEvents(readChunks(body))

/** Fields by line, an empty line ends an event, a comment begins with a colon. */
export async function* parseServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let id: string | undefined
  let data: string[] = []
  for await (const line of readLines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') }
      data = []
      continue
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    if (field === 'id') id = value
  }
}

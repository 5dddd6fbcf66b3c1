import { readChunks, readLines } from './read-lines.ts'

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

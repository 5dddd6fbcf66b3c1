import type { WatchedEvent } from './api.ts'
import { connectionErrorOf, pause } from './call-deadline.ts'
import { parseServerSentEvents, readChunks } from './read-lines.ts'
import { backoffMs } from './retry-rule.ts'
import { type Query, readLater, type Transport } from './transport.ts'
import { TrawlError } from './trawl-error.ts'

/** What happened, and the id to resume after. Type `reset`: events were missed, read again. */
export type TrawlEvent = WatchedEvent & { id: string | undefined }

export interface EventOptions {
  signal?: AbortSignal | undefined
  /** The `id` of the last event that was seen, to get what came after it. */
  lastEventId?: string | undefined
  /** How many connections in a row may fail before the iterator throws. Default: 10. */
  maxReconnects?: number | undefined
  /** Called when a connection is there, the first and each after it. */
  onConnect?: (() => void) | undefined
}

// The service sends a comment every 15 s, so a connection that is silent for longer is dead.
const silenceMsMax = 45_000
const connectMsMax = 30_000

/** Yields events until the caller stops; a broken connection is resumed after the last event. */
export async function* watchEvents(
  transport: Transport,
  query: Query<'GET /v1/events'>,
  { signal, lastEventId, maxReconnects = 10, onConnect }: EventOptions,
): AsyncGenerator<TrawlEvent, void, undefined> {
  let id = lastEventId
  for (let failureCount = 0; ; ) {
    try {
      for await (const event of connect(transport, query, { signal, lastEventId: id, onConnect })) {
        signal?.throwIfAborted() // also before events that have arrived already
        failureCount = 0
        id = event.id ?? id
        yield event
      }
    } catch (caught) {
      if (signal?.aborted) throw signal.reason
      const error = caught instanceof TrawlError ? caught : connectionErrorOf(caught)
      if (!error.retryable || failureCount >= maxReconnects) throw error
    }
    await pause(backoffMs(failureCount, Math.random()), signal)
    failureCount++
  }
}

/** The events of one connection. */
async function* connect(
  transport: Transport,
  query: Query<'GET /v1/events'>,
  { signal, lastEventId, onConnect }: EventOptions,
): AsyncGenerator<TrawlEvent, void, undefined> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const listen = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(connectionErrorOf('silence')), silenceMsMax)
  }
  const ended = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
  try {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    }
    const options = { signal: ended, timeout: connectMsMax, maxRetries: 0 }
    const input = { query, headers, options }
    const { body } = await transport.send('GET /v1/events', input, readLater)
    listen()
    onConnect?.()
    for await (const { id, data } of parseServerSentEvents(heard(readChunks(body), listen))) {
      yield { ...JSON.parse(data), id }
    }
  } finally {
    clearTimeout(timer)
  }
}

async function* heard<Chunk>(chunks: AsyncIterable<Chunk>, listen: () => void) {
  for await (const chunk of chunks) {
    listen()
    yield chunk
  }
}

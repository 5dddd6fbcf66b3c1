import { Failure } from '../../domain/failure.ts'

/** A response to a request for robots.txt, a sitemap or a page. */
export interface FetchedBytes {
  status: number
  /** After redirects. */
  finalUrl: string
  contentType: string | undefined
  /** The body without its content encoding. */
  chunks: AsyncIterable<Uint8Array>
}

/**
 * Fetches a URL with its own deadline; a target that gives no response is a failure. The signal ends the
 * body too: it comes as soon as no more of it is wanted, so that unread bodies hold no connection.
 */
export type FetchBytes = (url: string, signal: AbortSignal) => Promise<FetchedBytes | Failure>

export const isOk = ({ status }: FetchedBytes): boolean => status >= 200 && status < 300

/**
 * Fetches and hands the response to `read`. Where the signal comes first, the body ends there, even if
 * the source does not end by itself.
 */
export async function fetchAndRead<Result>(
  fetchBytes: FetchBytes,
  { url, signal }: { url: string; signal: AbortSignal },
  read: (response: FetchedBytes) => Promise<Result>,
): Promise<Result | Failure> {
  const done = new AbortController()
  const either = AbortSignal.any([signal, done.signal])
  try {
    const response = await orAborted(fetchBytes(url, either), signal)
    if (response === undefined) return new Failure('TARGET_TIMEOUT', 'Discovery ran out of time.')
    if (response instanceof Failure) return response
    return await read({ ...response, chunks: untilAborted(response.chunks, signal) })
  } catch (error) {
    // A body that breaks off ends here; what was read of it until then counts.
    if (error instanceof Failure) return error
    throw error
  } finally {
    done.abort()
  }
}

/** Reads at most `bytesMax` bytes, or one more where there are more. */
export async function readUpTo(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    bytes += chunk.byteLength
    if (bytes > bytesMax) break
  }
  return Buffer.concat(parts).subarray(0, bytesMax + 1)
}

async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await orAborted(source.next(), signal)
      if (next === undefined || next.done) return
      yield next.value
    }
  } finally {
    // A source that waits for its next bytes would answer this only then.
    source.return?.()?.catch(() => {})
  }
}

/** Undefined where the signal comes first. */
export async function orAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const aborted = Promise.withResolvers<undefined>()
  const onAbort = (): void => aborted.resolve(undefined)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    // It may still fail after the signal, when nobody waits for it any more.
    promise.catch(() => {})
  }
}

import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/**
 * The bytes, decompressed where they begin as gzip does. Broken gzip ends them and sets `isBroken`.
 * The consumer limits the size, as it can stop at any chunk.
 */
export async function* gunzipped(
  chunks: AsyncIterable<Uint8Array>,
  state: { isBroken: boolean },
): AsyncGenerator<Uint8Array> {
  const all = withLongFirst(chunks, 2)
  const first = await all.next()
  if (first.done) return
  const bytes = joined(first.value, all)
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* bytes
  const gunzip = createGunzip()
  // The error also reaches the loop below, which is where it is handled.
  pipeline(Readable.from(bytes), gunzip, () => {})
  try {
    yield* gunzip
  } catch (error) {
    if (!isGzipError(error)) throw error
    state.isBroken = true
  }
}

/** The same bytes with a first chunk that has at least `bytesMin` of them, if there are so many. */
export async function* withLongFirst(
  chunks: AsyncIterable<Uint8Array>,
  bytesMin: number,
): AsyncGenerator<Uint8Array> {
  let isBegun = false
  let head = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (isBegun) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    isBegun = head.byteLength >= bytesMin
    if (isBegun) yield head
  }
  if (!isBegun && head.byteLength > 0) yield head
}

async function* joined(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first
    yield* rest
  } finally {
    // Where the consumer stops at `first`, nothing else would close the source.
    await rest.return(undefined)
  }
}

const isGzipError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')

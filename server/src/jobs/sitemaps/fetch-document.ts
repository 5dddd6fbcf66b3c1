import { Readable, type Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { Failure } from '../../domain/failure.ts'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import { type EngineRequest, proxyRequirementsOf } from '../../domain/scrape/scrape-request.ts'
import type { HttpEngine } from '../../engines/http/http-engine.ts'
import type { ProxyPool } from '../../tasks/proxies/proxy-pool.ts'
import { requireProxy } from '../../tasks/proxies/require-proxy.ts'
import { readUpTo } from './fetched-bytes.ts'

/** A response to a request for robots.txt, a sitemap or a page, at the end of its redirects. */
export interface FetchedDocument {
  status: number
  url: string
  headers: Readonly<Record<string, string>>
  /** As the target sent it. */
  body: Uint8Array
}

/**
 * Fetches what a job needs beside its pages: through the same guard and the same kind of proxy as its
 * pages, with the HTTP engine. Undefined if there was no response.
 */
export type DocumentFetcher = (
  like: EngineRequest & { accountId: string },
  url: string,
  signal: AbortSignal,
  bodyCutAt?: number,
) => Promise<FetchedDocument | undefined>

const timeoutMs = 30_000

export function createDocumentFetcher(parts: {
  engine: HttpEngine
  proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose'>
}): DocumentFetcher {
  const { engine, proxies } = parts
  return async (like, url, signal, bodyCutAt) => {
    try {
      using use = proxies.isEmpty ? undefined : proxies.choose(proxyRequirementsOf(like), [])
      if (!use) requireProxy(proxies, like)
      const { page } = await engine.fetch({
        url,
        options: defaultScrapeOptions,
        timeoutMs,
        forwardedHeaders: {},
        accountId: like.accountId,
        signal,
        bodyCutAt,
        proxy: use?.route,
      })
      return { status: page.statusCode, url: page.url, headers: page.headers, body: page.body }
    } catch (error) {
      if (error instanceof Failure || signal.aborted) return undefined
      throw error
    }
  }
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/** The beginning of the body without its content encoding; of a broken one, what can be decoded. */
export const decodedBytes = (document: FetchedDocument, bytesMax: number): Promise<Uint8Array> =>
  readUpTo(untilBroken(decodedChunks(document)), bytesMax)

async function* untilBroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

/** The body without its content encoding, in pieces: a large one need not be in memory decoded. */
export async function* decodedChunks({
  headers,
  body,
}: Pick<FetchedDocument, 'headers' | 'body'>): AsyncGenerator<Uint8Array> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decoder = decoders[encoding]?.()
  try {
    if (decoder) yield* Readable.from([body]).pipe(decoder)
    else yield body
  } catch (error) {
    throw new Failure('BAD_RESPONSE', 'The response cannot be decoded.', { cause: error })
  }
}

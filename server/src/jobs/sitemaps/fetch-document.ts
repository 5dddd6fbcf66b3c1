import { Readable, type Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { Failure } from '../../domain/failure.ts'
import type { Page } from '../../domain/scrape/page.ts'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import { type EngineRequest, proxyRequirementsOf } from '../../domain/scrape/scrape-request.ts'
import type { HttpEngine, HttpFetchOrder } from '../../engines/http/http-engine.ts'
import type { MemoryBudget } from '../../runtime/sharing/memory-budget.ts'
import type { ProxyPool } from '../../tasks/proxies/proxy-pool.ts'
import { requireProxy } from '../../tasks/proxies/require-proxy.ts'
import type { FetchedBytes } from './fetched-bytes.ts'

type DocumentOrder = Pick<HttpFetchOrder, 'url' | 'signal' | 'proxy' | 'bodyCutAt'> & {
  accountId: string
}

const timeoutMs = 30_000

/** Fetches robots.txt, a sitemap or a page; a failure if there was no response. */
export async function fetchDocument(
  engine: HttpEngine,
  order: DocumentOrder,
  onPage?: (page: Page) => void,
): Promise<FetchedBytes | Failure> {
  try {
    const given = { options: defaultScrapeOptions, timeoutMs, forwardedHeaders: {} }
    const { page } = await engine.fetch({ ...order, ...given })
    onPage?.(page)
    return {
      status: page.statusCode,
      finalUrl: page.url,
      contentType: page.headers['content-type'],
      chunks: decodedChunks(page),
    }
  } catch (error) {
    if (error instanceof Failure) return error
    if (order.signal.aborted) return new Failure('TARGET_TIMEOUT', 'The document did not come.')
    throw error
  }
}

/** Fetches what a crawl needs beside its pages: through the same guard and the same kind of proxy. */
export type DocumentFetcher = (
  like: EngineRequest & { accountId: string },
  order: Omit<DocumentOrder, 'accountId' | 'proxy'>,
) => Promise<FetchedBytes | Failure>

export const createDocumentFetcher =
  (parts: {
    engine: HttpEngine
    proxies: Pick<ProxyPool, 'isEmpty' | 'fits' | 'choose'>
  }): DocumentFetcher =>
  async (like, order) => {
    const { engine, proxies } = parts
    try {
      const { accountId } = like
      const wish = { accountId, requirements: proxyRequirementsOf(like), tried: [] }
      using use = proxies.isEmpty ? undefined : proxies.choose(wish)
      if (!use) requireProxy(proxies, like)
      return await fetchDocument(engine, { ...order, accountId, proxy: use?.route })
    } catch (error) {
      if (error instanceof Failure) return error
      throw error
    }
  }

/**
 * An engine for jobs that fetch several documents at once. Each large one reserves memory of its own, which
 * is free again once the signal of its order is aborted: that says that nobody reads the document any more.
 * So a document never waits for another one to be read.
 */
export const engineWithMemory = (engine: HttpEngine, memoryBudget: MemoryBudget): HttpEngine => ({
  async fetch(order) {
    const memory = memoryBudget.open(order.accountId)
    const release = () => memory[Symbol.dispose]()
    order.signal.addEventListener('abort', release, { once: true })
    try {
      return await engine.fetch({ ...order, memory })
    } catch (error) {
      release()
      throw error
    }
  },
})

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

const pieceBytes = 16 * 1024

/** The body without its content encoding, in pieces: a large one need not be in memory decoded. */
async function* decodedChunks({
  headers,
  body,
}: Pick<Page, 'headers' | 'body'>): AsyncGenerator<Uint8Array> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  const decoder = decoders[encoding]?.()
  try {
    if (decoder) yield* Readable.from([body]).pipe(decoder)
    // In pieces too, since a reader notices between two of them that it has to end.
    else
      for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes)
  } catch (error) {
    throw new Failure('BAD_RESPONSE', 'The response cannot be decoded.', { cause: error })
  }
}

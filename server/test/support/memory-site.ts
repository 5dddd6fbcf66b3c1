import { Failure } from '../../src/domain/failure.ts'
import type { FetchBytes } from '../../src/jobs/sitemaps/fetched-bytes.ts'

export interface MemoryResponse {
  status?: number
  finalUrl?: string
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  failure?: Failure
}

/** By path, or by URL where another host is asked. */
export type MemoryPages = Record<
  string,
  string | Uint8Array | MemoryResponse | (() => MemoryResponse | Promise<MemoryResponse>)
>

export const unreachable = (): MemoryResponse => ({
  failure: new Failure('TARGET_UNREACHABLE', 'No connection.'),
})

/** The site `https://shop.test` in memory, with some others. What it does not have is 404. */
export class MemorySite {
  readonly asked: string[] = []
  readonly ended: AbortSignal[] = []
  running = 0
  runningMost = 0
  readonly #pages: MemoryPages

  constructor(pages: MemoryPages) {
    this.#pages = pages
  }

  readonly fetchBytes: FetchBytes = async (url, signal) => {
    this.asked.push(url)
    this.ended.push(signal)
    this.runningMost = Math.max(this.runningMost, ++this.running)
    const given = this.#pages[url.replace('https://shop.test', '')] ??
      this.#pages[url] ?? { status: 404 }
    const made = typeof given === 'function' ? await given() : given
    const response: MemoryResponse =
      typeof made === 'string' || made instanceof Uint8Array ? { body: made } : made
    await new Promise((resolve) => setImmediate(resolve))
    this.running--
    return (
      response.failure ?? {
        status: response.status ?? 200,
        finalUrl: response.finalUrl ?? url,
        contentType: undefined,
        chunks: chunksOf(response.body ?? ''),
      }
    )
  }
}

async function* chunksOf(body: string | Uint8Array | AsyncIterable<Uint8Array>) {
  if (typeof body === 'string') yield Buffer.from(body)
  else if (body instanceof Uint8Array) yield body
  else yield* body
}

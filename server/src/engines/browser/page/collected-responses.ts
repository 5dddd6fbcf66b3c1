import type { Protocol } from 'devtools-protocol'
import type { CollectedResponse } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { headersOf } from './read-page.ts'

/** A response that was received completely. */
export interface EndedResponse {
  /** The session that can read its body. */
  session: CdpSession
  requestId: string
  url: string
  method: string
  /** The decoded size of the body. */
  bodyBytes: number
  response: { status: number; headers: Protocol.Network.Headers; mimeType?: string }
}

const responsesMax = 100
/** CDP returns only whole bodies, so a larger one is not read at all to save memory. */
const bodyBytesMax = 8 * 2 ** 20
const bodyCharactersMax = 2 ** 20
const totalCharactersMax = 10 * 2 ** 20
const contentTypeCharactersMax = 1_000

/** Collects the responses to fetch and XHR, for the option `collect_data_from_requests`. */
export class CollectedResponses {
  readonly #responses: CollectedResponse[] = []
  #addedCount = 0
  #collecting = Promise.resolve()
  #characters = 0

  add(ended: EndedResponse): void {
    if (this.#addedCount === responsesMax) return
    this.#addedCount += 1
    // One after the other, so that only one uncut body is in memory at a time.
    this.#collecting = this.#collecting.then(() => this.#collect(ended))
  }

  async list(): Promise<CollectedResponse[]> {
    await this.#collecting
    return this.#responses
  }

  async #collect(ended: EndedResponse): Promise<void> {
    const { session, requestId, url, method, bodyBytes, response } = ended
    const leftCharacters = totalCharactersMax - this.#characters
    const isRead = leftCharacters > 0 && bodyBytes <= bodyBytesMax
    const read = isRead
      ? await session.send('Network.getResponseBody', { requestId }).catch(() => undefined)
      : undefined
    const part = read ? beginningOf(read, Math.min(bodyCharactersMax, leftCharacters)) : ''
    this.#characters += part.length
    this.#responses.push({
      url,
      method,
      statusCode: response.status,
      contentType: contentTypeOf(response),
      // Copied: in V8 a slice of a string keeps the whole string in memory.
      body: Buffer.from(part).toString(),
      // Also when the browser has evicted the body from its own buffer.
      truncated: read === undefined || part.length < read.body.length,
    })
  }
}

/** Binary bodies come in base64, which is cut at a multiple of 4 characters to stay decodable. */
const beginningOf = (
  { body, base64Encoded }: Protocol.Network.GetResponseBodyResponse,
  charactersMax: number,
): string => body.slice(0, base64Encoded ? charactersMax - (charactersMax % 4) : charactersMax)

/** The header as it was sent, or else the type that the browser has detected. */
function contentTypeOf(response: EndedResponse['response']): string | null {
  const sent = headersOf(response)['content-type'] || response.mimeType
  return sent?.slice(0, contentTypeCharactersMax) || null
}

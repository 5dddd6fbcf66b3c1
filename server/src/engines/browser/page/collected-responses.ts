import type { Protocol } from 'devtools-protocol'
import type { CollectedAnswer } from '../../../domain/scrape/page.ts'
import type { CdpSession } from '../cdp/cdp-connection.ts'
import { headersOf } from './read-page.ts'

/** An answer that has come to its end. */
export interface EndedResponse {
  /** Who was told of it, and has its body. */
  session: CdpSession
  requestId: string
  url: string
  method: string
  /** Of the body, decoded. */
  bodyBytes: number
  response: { status: number; headers: Protocol.Network.Headers; mimeType?: string }
}

const answersMax = 100
/** The browser gives an answer whole or not at all; what is longer would cost too much to be cut. */
const answerBytesMax = 8 * 2 ** 20
const answerCharactersMax = 2 ** 20
const answersCharactersMax = 10 * 2 ** 20
const contentTypeCharactersMax = 1_000

/** What fetch and XHR have brought, for a caller who wants it. */
export class CollectedResponses {
  readonly #answers: CollectedAnswer[] = []
  #begun = 0
  #collecting = Promise.resolve()
  #characters = 0

  add(answer: EndedResponse): void {
    if (this.#begun === answersMax) return
    this.#begun += 1
    // One after the other: each may be large, and is cut before the next comes.
    this.#collecting = this.#collecting.then(() => this.#collect(answer))
  }

  /** So far. */
  async list(): Promise<CollectedAnswer[]> {
    await this.#collecting
    return this.#answers
  }

  async #collect(answer: EndedResponse): Promise<void> {
    const { session, requestId, url, method, bodyBytes, response } = answer
    const leftCharacters = answersCharactersMax - this.#characters
    const isTaken = leftCharacters > 0 && bodyBytes <= answerBytesMax
    const got = isTaken
      ? await session.send('Network.getResponseBody', { requestId }).catch(() => undefined)
      : undefined
    const part = got ? beginningOf(got, Math.min(answerCharactersMax, leftCharacters)) : ''
    this.#characters += part.length
    this.#answers.push({
      url,
      method,
      statusCode: response.status,
      contentType: contentTypeOf(response),
      // Copied, for a part of a text keeps the whole of it in memory.
      body: Buffer.from(part).toString(),
      // Also where the browser itself had no room to keep it.
      truncated: got === undefined || part.length < got.body.length,
    })
  }
}

/** Of what is no text, and therefore in base64: so much that it can be decoded. */
const beginningOf = (
  { body, base64Encoded }: Protocol.Network.GetResponseBodyResponse,
  charactersMax: number,
): string => body.slice(0, base64Encoded ? charactersMax - (charactersMax % 4) : charactersMax)

/** As it was sent; what the browser takes it for where nothing was. */
function contentTypeOf(response: EndedResponse['response']): string | null {
  const sent = headersOf(response)['content-type'] || response.mimeType
  return sent?.slice(0, contentTypeCharactersMax) || null
}

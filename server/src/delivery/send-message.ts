import type { SendOutcome } from '../domain/delivery/delivery.ts'
import { retryAfterSeconds } from '../domain/service/retry-after.ts'
import type { HttpClient } from '../outbound/client/http-client.ts'
import { OutboundError, outboundError } from '../outbound/outbound-error.ts'

/** One attempt: its outcome, its duration, and the start of the receiver's response body. */
export interface Sent {
  outcome: SendOutcome
  /** Null on success. */
  error: string | null
  durationMs: number
  answerExcerpt: string | null
}

export const failedToSend = (message: string, durationMs: number): Sent => ({
  outcome: { kind: 'error', message },
  error: message,
  durationMs,
  answerExcerpt: null,
})

const excerptBytesMax = 1024

const limits = {
  dnsMs: 4_000,
  connectMs: 5_000,
  tlsMs: 5_000,
  headersMs: 15_000,
  idleMs: 2_000,
  bodyMs: 2_000,
  headerBytesMax: 32 * 1024,
  bodyBytesMax: 64 * 1024,
  // The status decides; of the body only an excerpt is kept for the delivery log.
  isBodyCut: true,
}

interface Message {
  url: string
  accountId: string
  headers: Record<string, string>
  body: Uint8Array
  nowMs: number
}

/** Posts a message. Redirects are not followed: they could lead to any URL. */
export async function sendMessage(
  client: HttpClient,
  message: Message,
  signal: AbortSignal,
): Promise<Sent> {
  const startedAtMs = performance.now()
  const durationMs = () => Math.round(performance.now() - startedAtMs)
  try {
    const response = await client.send({
      method: 'POST',
      url: new URL(message.url),
      accountId: message.accountId,
      headers: message.headers,
      body: message.body,
      purpose: 'callback',
      // Repeating is safe: receivers deduplicate by the message id.
      isRepeatable: true,
      limits,
      signal,
    })
    // The client's own timers are coarse and accept headers that come slightly late.
    if (response.timings.firstByteMs > limits.headersMs) throw outboundError('timeout')
    const retryAfter = response.headers.find(([name]) => name === 'retry-after')?.[1]
    const { statusCode } = response
    const waitSeconds = retryAfterSeconds(retryAfter, message.nowMs)
    return {
      outcome: { kind: 'response', statusCode, retryAfterSeconds: waitSeconds },
      error: errorOf(statusCode),
      durationMs: durationMs(),
      answerExcerpt: excerptOf(response.body),
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error.problem === 'aborted') throw error
    return failedToSend(error.message, durationMs())
  }
}

/** Control characters are escaped: terminals would interpret them, and stores reject some. */
const excerptOf = (body: Uint8Array): string | null =>
  body.length === 0
    ? null
    : escapeControls(Buffer.from(body.subarray(0, excerptBytesMax)).toString('utf8'))

function errorOf(statusCode: number): string | null {
  if (statusCode >= 200 && statusCode < 300) return null
  const isRedirect = statusCode >= 300 && statusCode < 400
  return `The receiver answered ${statusCode}.${isRedirect ? ' Redirects are not followed.' : ''}`
}

const escapeControls = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`)

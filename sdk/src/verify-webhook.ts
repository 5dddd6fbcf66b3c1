import type {
  BatchCompleted,
  CrawlCompleted,
  ExtractCompleted,
  Ping,
  ScrapeCallback,
} from './api.ts'
import { WebhookError } from './trawl-error.ts'

/** What a webhook receives; results of batches and crawls come without page contents. */
export type WebhookEvent = ExtractCompleted | BatchCompleted | CrawlCompleted | Ping

/** What the `callbackUrl` of a scrape receives. */
export type CallbackMessage = ScrapeCallback

export interface VerifyOptions {
  /** How far the time of the message may be from now, in seconds. Default: 300. */
  tolerance?: number | undefined
  /** The current time in milliseconds, for tests. */
  now?: number | undefined
}

/** Headers of a web request, or those of `node:http`. */
export type ReceivedHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

// A sender has one signature per secret; more would only cost time.
const signaturesMax = 10

/**
 * Verifies a message by Standard Webhooks: its HMAC in constant time, and its age, so that nobody can
 * replay it. `rawBody` is the body as received, before any parsing. While a secret is rotated, give both.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  { tolerance = 300, now = Date.now() }: VerifyOptions = {},
): Promise<void> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .slice(0, signaturesMax)
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError('The timestamp is no number.', { code: 'INVALID_TIMESTAMP' })
  }
  // A blob joins texts and bytes of every kind, whatever its type says of shared memory.
  const content = await new Blob([`${id}.${timestamp}.`, rawBody as ArrayBuffer]).arrayBuffer()
  let isRight = false
  for (const secret of [secrets].flat()) {
    const key = await importKey(secret)
    for (const signature of signatures) {
      const given = decodeBase64(signature.slice('v1,'.length))
      // Compares in constant time. None is skipped after a match.
      if (given && (await crypto.subtle.verify('HMAC', key, given, content))) isRight = true
    }
  }
  if (!isRight) {
    throw new WebhookError('No signature fits the secret.', { code: 'INVALID_SIGNATURE' })
  }
  if (Math.abs(now / 1_000 - Number(timestamp)) > tolerance) {
    throw new WebhookError(`The message is not from the last ${tolerance} s.`, {
      code: 'OUTSIDE_TOLERANCE',
    })
  }
}

/** Verifies a message and returns it, parsed. */
export async function unwrapWebhook<Message = WebhookEvent>(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: ReceivedHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<Message> {
  await verifyWebhook(rawBody, headers, secrets, options)
  return JSON.parse(typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody))
}

function readHeader(headers: ReceivedHeaders, name: string): string {
  const value =
    typeof headers['get'] === 'function'
      ? (headers as Headers).get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = Array.isArray(value) ? value.join(' ') : value
  if (typeof text === 'string' && text !== '') return text
  throw new WebhookError(`The header ${name} is missing.`, { code: 'MISSING_HEADER' })
}

function importKey(secret: string) {
  // A secret without the prefix, such as the operator's own, is the key itself.
  const key = secret.startsWith('whsec_')
    ? decodeBase64(secret.slice(6))
    : new TextEncoder().encode(secret)
  if (!key || key.length === 0) throw new TypeError('The secret of a webhook is empty or broken.')
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

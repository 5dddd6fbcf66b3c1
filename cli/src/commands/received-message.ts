import { createHmac, timingSafeEqual } from 'node:crypto'
import { verifyWebhook, WebhookError } from '@trawl/sdk'
import { printable } from '../output/terminal-text.ts'

export interface ReceivedRequest {
  path: string
  headers: Record<string, string | undefined>
  body: Buffer
}

type Verdict = 'right' | 'wrong' | 'too old' | 'too new' | 'unsigned' | 'not checked'

/** A callback or webhook that arrived, with the verdict on its signatures. */
export type ReceivedMessage = Awaited<ReturnType<typeof describeReceived>>

export async function describeReceived(
  { path, headers, body }: ReceivedRequest,
  facts: { secret: string | undefined; isRepeated: boolean; nowMs: number },
) {
  return {
    received_at: new Date(facts.nowMs).toISOString(),
    path,
    id: headers['webhook-id'] ?? null,
    event: headers['x-webhook-event'] ?? null,
    signature: {
      standard: await verifyStandardHeaders(headers, body, facts),
      vendor: verifyVendorHeaders(headers, body, facts),
    },
    repeated: facts.isRepeated,
    bytes: body.length,
    body: parsedBody(body),
  }
}

const excerptCharactersMax = 500

/** One line about the message and one with the start of its body. */
export function formatReceived(message: ReceivedMessage): string {
  const { body } = message
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const isCut = text.length > excerptCharactersMax
  const about = [
    message.received_at,
    message.path,
    message.event ?? 'callback',
    message.id ?? '(no webhook-id)',
    ...signatureWords(message.signature),
    ...(message.repeated ? ['REPEATED: this id came before'] : []),
    `${message.bytes} bytes`,
  ]
  return `${printable(about.join('  '))}\n    ${printable(text.slice(0, excerptCharactersMax))}${isCut ? '…' : ''}`
}

/** A callback has one kind of signature, a webhook both; a missing one is mentioned only if both are. */
function signatureWords({ standard, vendor }: ReceivedMessage['signature']): string[] {
  if (standard === 'unsigned' && vendor === 'unsigned') return ['UNSIGNED']
  const words = Object.entries({ standard, vendor }).filter(([, verdict]) => verdict !== 'unsigned')
  return words.map(([name, verdict]) => {
    const isFine = verdict === 'right' || verdict === 'not checked'
    return `${name} signature ${isFine ? verdict : verdict.toUpperCase()}`
  })
}

async function verifyStandardHeaders(
  headers: ReceivedRequest['headers'],
  body: Buffer,
  { secret, nowMs }: { secret: string | undefined; nowMs: number },
): Promise<Verdict> {
  if (headers['webhook-signature'] === undefined) return 'unsigned'
  if (secret === undefined) return 'not checked'
  try {
    await verifyWebhook(body, headers, secret, { now: nowMs })
    return 'right'
  } catch (error) {
    // A secret that is no key is no right one either.
    const isLate = error instanceof WebhookError && error.code === 'OUTSIDE_TOLERANCE'
    if (!isLate) return 'wrong'
    return Number(headers['webhook-timestamp']) * 1000 < nowMs ? 'too old' : 'too new'
  }
}

/** The signature of the `/v1` API: it covers the body alone, with the secret's text as the key. */
function verifyVendorHeaders(
  headers: ReceivedRequest['headers'],
  body: Buffer,
  { secret }: { secret: string | undefined },
): Verdict {
  const signature = headers['x-webhook-signature']
  if (signature === undefined) return 'unsigned'
  if (secret === undefined) return 'not checked'
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(signature)
  const isRight = given.length === expected.length && timingSafeEqual(given, expected)
  return isRight ? 'right' : 'wrong'
}

function parsedBody(body: Buffer): unknown {
  const text = body.toString()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

import type { z } from 'zod'
import { version } from '../../runtime/version.ts'
import { jobExamples } from '../../wire/extract/examples.ts'
import { batchInEvent, crawlInEvent } from '../../wire/jobs/examples.ts'
import { callbackExample } from '../../wire/scrape/examples.ts'
import {
  BatchCompleted,
  CrawlCompleted,
  ExtractCompleted,
  Ping,
  ScrapeCallback,
} from '../../wire/webhooks/deliveries.ts'
import type { Operation, Parameter } from './document.ts'
import type { DocumentComponents } from './responses.ts'
import { toSchema } from './schema.ts'

export const webhooksTag = {
  name: 'Deliveries',
  description:
    'What the service posts to your URLs. Any 2xx within 15 seconds is success; anything else is tried again for about three days. Verify the signature before you trust a body.',
}

interface Delivered {
  /** In the form of a method name, as generators of clients need one here too. */
  operationId: string
  summary: string
  description: string
  body: z.ZodType
  example: unknown
}

const deliveryId = '01a1e5f0-7d44-7f06-a3c8-94b1d2e07f5a'

const eventExample = (event: string, data: unknown) => ({
  event,
  webhook_id: '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
  delivery_id: deliveryId,
  timestamp: '2026-03-02T09:30:01.204Z',
  data,
})

const events: Record<string, Delivered> = {
  extract_completed: {
    operationId: 'onExtractCompleted',
    summary: 'A single task has ended',
    description:
      'For every extraction and scrape that completed, failed or was cancelled; not for the pages of jobs.',
    body: ExtractCompleted,
    example: eventExample('extract_completed', jobExamples['job']?.response),
  },
  batch_completed: {
    operationId: 'onBatchCompleted',
    summary: 'A batch has ended',
    description:
      'Once for each end, cancelled and failed too; also to the `callback_url` of a batch.',
    body: BatchCompleted,
    example: eventExample('batch_completed', batchInEvent),
  },
  crawl_completed: {
    operationId: 'onCrawlCompleted',
    summary: 'A crawl has ended',
    description:
      'Once for each end, cancelled and failed too; also to the `callback_url` of a crawl.',
    body: CrawlCompleted,
    example: eventExample('crawl_completed', crawlInEvent),
  },
  ping: {
    operationId: 'onPing',
    summary: 'A test, as `POST /v1/webhooks/{webhook_id}/test` sends it',
    description: 'It is sent once and not tried again.',
    body: Ping,
    example: eventExample('ping', {}),
  },
}

const callback: Delivered = {
  operationId: 'onScrapeCallback',
  summary: 'A scrape in callback mode has ended',
  description: 'Posted to `callbackUrl` and signed with the callback secret of the account.',
  body: ScrapeCallback,
  example: callbackExample,
}

/** Describes what the service sends, for the section `webhooks` of OpenAPI 3.1: by the name of the event. */
export function describeWebhooks(components: DocumentComponents): Record<string, Operation> {
  const described = Object.entries(events).map(
    ([name, event]) =>
      [name, describeDelivery(event, [...headers, ...eventHeaders], components)] as const,
  )
  return {
    ...Object.fromEntries(described),
    scrape_callback: describeDelivery(callback, headers, components),
  }
}

function describeDelivery(
  { operationId, summary, description, body, example }: Delivered,
  parameters: Parameter[],
  components: DocumentComponents,
): Operation {
  components.parameters.push(...parameters.map((value) => ({ name: value.name, value })))
  components.responses.push(
    { name: 'DeliveryAccepted', value: accepted },
    { name: 'DeliveryUnwanted', value: unwanted },
  )
  return {
    operationId,
    summary,
    description,
    tags: [webhooksTag.name],
    security: [],
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: toSchema(body, 'output', components.schemas),
          examples: { delivery: { summary, value: example } },
        },
      },
    },
    responses: { '2XX': accepted, '410': unwanted },
  }
}

const accepted = { description: 'It has arrived; the body is not read further.', content: {} }
const unwanted = {
  description: 'Never send this again; a webhook that answers so is paused.',
  content: {},
}

const header = (name: string, description: string, value: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  examples: { delivery: { summary: name, value } },
})

const headers: Parameter[] = [
  header('webhook-id', 'The same on every attempt, to recognise repetitions.', deliveryId),
  header('webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1772443801'),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is the secret after `whsec_`, decoded from base64. Two, with a space between, while a secret is rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header('X-Request-Id', 'The id of the task or job; of a ping, that of the delivery.', deliveryId),
  header('User-Agent', 'The sender.', `Trawl/${version}`),
]

const eventHeaders: Parameter[] = [
  header('X-Webhook-Event', 'The name of the event.', 'extract_completed'),
  header('X-Webhook-Delivery-Id', 'As `webhook-id`.', deliveryId),
  header(
    'X-Webhook-Signature',
    '`sha256=` and the hexadecimal HMAC-SHA256 of the body; the key is the whole secret as text.',
    'sha256=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  ),
]

import { z } from 'zod'
import { Engine } from '../named-enums.ts'

const TargetCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  expires: z.string().nullable().describe('ISO 8601; null for a session cookie.'),
  http_only: z.boolean(),
  secure: z.boolean(),
  same_site: z.string().nullable(),
})

const RecordedRequest = z.object({
  url: z.string(),
  type: z.string().describe('`document`, `script`, `image`, `fetch` and so on.'),
  http_status: z.int().nullable(),
  bytes: z.number().describe('On the wire.'),
  started_ms: z.number().nullable().describe('From the start of the page.'),
  duration_ms: z.number(),
  is_blocked: z.boolean().describe('It was not sent, as the request asked.'),
})

/** What a target answered to a completed task, without the content. */
export const TargetResponse = z
  .object({
    url: z.string().describe('After every redirect.'),
    http_status: z.int(),
    engine: Engine,
    headers: z.record(z.string(), z.string()).describe('Names in lower case.'),
    cookies: z.array(TargetCookie),
    bandwidth: z
      .object({ received: z.int(), sent: z.int(), requests: z.int() })
      .describe('Bytes on the wire and requests, redirects included.'),
    screenshot: z
      .object({ type: z.enum(['png', 'jpeg', 'webp']), width: z.int(), height: z.int() })
      .nullable()
      .describe('In pixels; the preview has the image.'),
    requests: z
      .array(RecordedRequest)
      .nullable()
      .describe('The first 300; null for a page in a browser without `debug`.'),
    console: z
      .array(z.object({ level: z.string(), text: z.string() }))
      .nullable()
      .describe('Null without a browser and `debug`.'),
    wait_ended_at_deadline: z
      .boolean()
      .describe('Whether the page did not become quiet within its time.'),
  })
  .meta({ id: 'TargetResponse' })

export type TargetResponse = z.infer<typeof TargetResponse>

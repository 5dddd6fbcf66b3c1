import { z } from 'zod'
import type { TaskLane } from '../task/lane.ts'
import type { EngineReason } from './engine-reason.ts'

/** What an engine returns: the target's last response, with its body as the target sent it. */
export interface Page {
  statusCode: number
  /** After every redirect. */
  url: string
  /** Names in lower case; repeated headers are joined with `, `. `set-cookie` became `cookies`. */
  headers: Record<string, string>
  cookies: PageCookie[]
  /** Still encoded as `headers['content-encoding']` says, unless `isText`. */
  body: Uint8Array
  /** The body is UTF-8, whatever the headers say, because it was read from a browser. */
  isText?: boolean
  bandwidth: Bandwidth
  /** Every request that was made for the page, in order; redirects are requests too. */
  requests: PageRequestRecord[]
  /** Only from a browser, and only if the options ask for it. */
  screenshot?: Screenshot
  scenario?: StepReport[]
  collectedData?: CollectedResponse[]
  /** Only of a map: how many links the body lists, and why some may be missing. */
  siteLinks?: { count: number; warning: string | null }
  console?: ConsoleMessage[]
  /** Whether the wait for the page to become quiet ended by its time limit. */
  isWaitCutShort?: boolean
}

/** A page without its bytes, as it is stored and as results show it. */
export interface PageFacts extends Omit<Page, 'body' | 'screenshot'> {
  engine: TaskLane
  /** Why this engine fetched the page, where the request alone did not decide that. */
  engineReason?: EngineReason
  screenshot?: ImageFacts
}

export function factsOf(
  { body, screenshot, ...page }: Page,
  engine: PageFacts['engine'],
): PageFacts {
  if (!screenshot) return { ...page, engine }
  const { bytes, ...image } = screenshot
  return { ...page, engine, screenshot: image }
}

export type ImageType = 'png' | 'jpeg' | 'webp'

export interface ImageFacts {
  type: ImageType
  /** In pixels of the image. */
  width: number
  height: number
}

export interface Screenshot extends ImageFacts {
  bytes: Uint8Array
}

/** The outcome of one action of a scenario. */
export const StepReport = z.object({
  action: z.string(),
  ok: z.boolean(),
  durationMs: z.number(),
  value: z.unknown().optional(),
  items: z.array(z.object({ html: z.string(), text: z.string() })).optional(),
  error: z.string().optional(),
})

export type StepReport = z.infer<typeof StepReport>

/** The response to a fetch or XHR of the page. */
export const CollectedResponse = z.object({
  url: z.string(),
  method: z.string(),
  statusCode: z.int(),
  contentType: z.string().nullable(),
  body: z.string().nullable(),
  truncated: z.boolean(),
})

/** The body is always there: text as it is, any other content in base64. */
export type CollectedResponse = z.infer<typeof CollectedResponse> & { body: string }

export interface ConsoleMessage {
  level: string
  text: string
}

export interface PageRequestRecord {
  url: string
  type: string
  statusCode: number | null
  bytes: number
  /** From the start of the page; missing in older results. */
  startedMs?: number
  durationMs: number
  isBlocked: boolean
}

export const PageCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  // ISO 8601; null for a session cookie.
  expires: z.string().nullable(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.string().nullable(),
})

export type PageCookie = z.infer<typeof PageCookie>

/** Bytes on the wire and requests made, redirects included. */
export interface Bandwidth {
  received: number
  sent: number
  requests: number
}

/** The time that each phase of an attempt took; 0 for a phase that a reused connection skips. */
export interface AttemptTimings {
  dnsMs: number
  connectMs: number
  tlsMs: number
  firstByteMs: number
  downloadMs: number
  /** In a browser: until the page had loaded, until it was quiet, and to read it. */
  renderMs?: number
  waitMs?: number
  extractMs?: number
}

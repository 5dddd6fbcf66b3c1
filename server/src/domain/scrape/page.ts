import type { TaskLane } from '../task/lane.ts'

/** What an engine brings back: the target's last answer, its body as it came. */
export interface Page {
  statusCode: number
  /** After every redirect. */
  url: string
  /** Lower-case names; a repeated one is joined with `, `. Without `set-cookie`, which became `cookies`. */
  headers: Record<string, string>
  cookies: PageCookie[]
  /** Still encoded as `headers['content-encoding']` says, unless `isText`. */
  body: Uint8Array
  /** The body is UTF-8, whatever the headers say: it was read from a browser. */
  isText?: boolean
  bandwidth: Bandwidth
  /** Every request that was made for it, in order; redirects are requests too. */
  requests: PageRequestRecord[]
  /** What only a browser brings, each where it was asked for. */
  screenshot?: Screenshot
  scenario?: StepReport[]
  collectedData?: CollectedAnswer[]
  console?: ConsoleMessage[]
  /** Whether the wait for the page to come to rest ended because time was up. */
  isWaitCutShort?: boolean
}

/** What is known of a page beside its bytes: as it is kept, and as results show it. */
export interface PageFacts extends Omit<Page, 'body' | 'screenshot'> {
  engine: TaskLane
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

/** What one action of a scenario came to. */
export interface StepReport {
  action: string
  ok: boolean
  durationMs: number
  value?: unknown
  items?: { html: string; text: string }[]
  error?: string
}

/** The answer to a fetch or XHR of the page. */
export interface CollectedAnswer {
  url: string
  method: string
  statusCode: number
  contentType: string | null
  /** Text as it is, anything else in base64. */
  body: string
  truncated: boolean
}

export interface ConsoleMessage {
  level: string
  text: string
}

export interface PageRequestRecord {
  url: string
  type: string
  statusCode: number | null
  bytes: number
  durationMs: number
  isBlocked: boolean
}

export interface PageCookie {
  name: string
  value: string
  domain: string
  path: string
  /** ISO 8601; null for one that ends with the session. */
  expires: string | null
  httpOnly: boolean
  secure: boolean
  sameSite: string | null
}

/** Bytes on the wire and requests made, redirects included. */
export interface Bandwidth {
  received: number
  sent: number
  requests: number
}

/** Where the time of one attempt went; what did not happen, as with a reused connection, took 0. */
export interface AttemptTimings {
  dnsMs: number
  connectMs: number
  tlsMs: number
  firstByteMs: number
  downloadMs: number
  /** In a browser: until the page was there, until it had come to rest, and what was read from it. */
  renderMs?: number
  waitMs?: number
  extractMs?: number
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { wallClockMs } from '../faults/world/world.ts'

export interface OriginRequest {
  /** Of the origin that got it, in the spelling that the site knows. */
  url: string
  kind: 'page' | 'redirect' | 'robots' | 'sitemap'
  /** Host and port that the client named. */
  host: string
  userAgent: string
  /** Wall clock, which all processes of the machine share. */
  startedAtMs: number
  /** Undefined while it is under way. */
  endedAtMs: number | undefined
}

/** An origin's own record of its requests, to judge a crawler's politeness from the outside. */
export class OriginLog {
  readonly requests: OriginRequest[] = []
  readonly #underway = new Map<string, number>()
  readonly #underwayMax = new Map<string, number>()

  add(
    request: IncomingMessage,
    response: ServerResponse,
    { url, kind }: Pick<OriginRequest, 'url' | 'kind'>,
  ): void {
    const { host = '', 'user-agent': userAgent = '' } = request.headers
    const startedAtMs = wallClockMs()
    const entry: OriginRequest = { url, kind, host, userAgent, startedAtMs, endedAtMs: undefined }
    this.requests.push(entry)
    this.#count(host, 1)
    response.once('close', () => {
      entry.endedAtMs = wallClockMs()
      this.#count(host, -1)
    })
  }

  /** The highest number of requests that were under way at once. */
  underwayMax(host: string): number {
    return this.#underwayMax.get(host) ?? 0
  }

  /**
   * The times between the starts of pages, or from the end of one to the start of the next. What
   * follows a redirect at once belongs to the same page, and robots.txt and sitemaps are no pages.
   */
  pausesMs(host: string, since: 'start' | 'end' = 'start'): number[] {
    const pages = this.requests.filter(
      (one) => one.host === host && (one.kind === 'page' || one.kind === 'redirect'),
    )
    return pages.slice(1).flatMap((next, index) => {
      const before = pages[index]
      if (!before || before.kind === 'redirect') return []
      const fromMs = since === 'start' ? before.startedAtMs : before.endedAtMs
      return fromMs === undefined ? [] : [next.startedAtMs - fromMs]
    })
  }

  #count(host: string, change: number): void {
    const underway = (this.#underway.get(host) ?? 0) + change
    this.#underway.set(host, underway)
    this.#underwayMax.set(host, Math.max(underway, this.underwayMax(host)))
  }
}

import type { FormatName } from '../domain/scrape/extract-options.ts'
import type { PageFacts } from '../domain/scrape/page.ts'
import { defaultScrapeOptions } from '../domain/scrape/scrape-options.ts'
import { plainOrder, type ScrapeRequest } from '../domain/scrape/scrape-request.ts'
import type { DetailedTask } from '../domain/task/listed-task.ts'
import { type JsonPieces, joined } from '../runtime/splice-json.ts'
import type { ShownResult } from './scrape/to-responses.ts'

/** A task and its page, of which the examples of several routes are made as real responses are. */

export const exampleId = '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917'
export const exampleUrl = 'https://example.com/article'
export const createdAtMs = Date.parse('2026-03-02T09:30:00.000Z')

const examplePage: PageFacts = {
  url: exampleUrl,
  statusCode: 200,
  engine: 'http',
  headers: { 'content-type': 'text/html; charset=utf-8' },
  cookies: [],
  bandwidth: { received: 18_204, sent: 312, requests: 1 },
  requests: [
    {
      url: exampleUrl,
      type: 'document',
      statusCode: 200,
      bytes: 18_204,
      startedMs: 0,
      durationMs: 102.2,
      isBlocked: false,
    },
  ],
}

const exampleRequest: ScrapeRequest = {
  url: exampleUrl,
  options: defaultScrapeOptions,
  timeoutMs: 60_000,
  forwardedHeaders: {},
  purpose: { kind: 'callback' },
}

/** A completed scrape in callback mode. */
export const scrapedTask: DetailedTask = {
  id: exampleId,
  accountId: '',
  callbackUrl: 'https://example.com/callback',
  callsBackOnFailure: true,
  request: exampleRequest,
  metadata: { order: 17 },
  createdAtMs,
  state: 'completed',
  attempts: 1,
  attemptLog: [
    {
      engine: 'http',
      proxy: null,
      outcome: 'page',
      statusCode: 200,
      startedAtMs: createdAtMs + 4,
      durationMs: 121,
      queueMs: 4,
      timings: { dnsMs: 0, connectMs: 12.1, tlsMs: 0, firstByteMs: 80.4, downloadMs: 9.7 },
    },
  ],
  error: null,
  startedAtMs: createdAtMs + 4,
  completedAtMs: createdAtMs + 132,
  jobKind: null,
  bytes: 18_204,
  formats: [],
  deliveries: [],
}

/** A completed extraction that was asked for these formats. */
export const extractedTask = (
  formats: FormatName[],
  processingMode: 'sync' | 'async' = 'sync',
): DetailedTask => ({
  ...scrapedTask,
  callbackUrl: null,
  callsBackOnFailure: false,
  metadata: null,
  formats,
  request: {
    ...exampleRequest,
    purpose: { kind: 'extract', extract: { ...plainOrder, processingMode, formats } },
  },
})

/** What a cancelled task has instead of an end of its own. */
export const cancelled = {
  state: 'cancelled',
  attempts: 0,
  attemptLog: [],
  startedAtMs: null,
  error: { code: 'CANCELLED', message: 'The task was cancelled.' },
  bytes: null,
} satisfies Partial<DetailedTask>

export const exampleResult = (
  content: object | string,
  page: Partial<PageFacts> = {},
): ShownResult => ({
  page: { ...examplePage, ...page },
  content: {
    kind: typeof content === 'string' ? 'html' : 'data',
    bytes: Buffer.from(JSON.stringify(content)),
    charset: 'utf-8',
    hasReplacements: false,
    decodedBytes: 18_204,
  },
  image: undefined,
})

export const exampleMarkdown = { html: null, markdown: '# Cod\n\nA fish.\n' }

export const parsed = (json: JsonPieces): object =>
  JSON.parse(Buffer.from(joined(json)).toString('utf8'))

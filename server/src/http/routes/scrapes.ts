import { CallbackScrape, RealtimeScrape } from '../../domain/scrape/scrape-request.ts'
import { isoTime } from '../../runtime/iso-time.ts'
import { scrapeExamples } from '../../wire/scrape/examples.ts'
import { AcceptedTask } from '../../wire/scrape/responses.ts'
import { statusPath } from '../../wire/tasks/links.ts'
import { explainKeyReuse, IdempotencyHeader, idempotencyOf } from '../requests/idempotency-key.ts'
import { toScrapeRequest } from '../requests/scrape-request.ts'
import { acceptedResponse } from '../responses/accepted.ts'
import { resultResponse, targetFailures, toRealtimeResponse } from '../responses/tasks.ts'
import { defineRoute, type Route, type RouteResponse } from '../route.ts'

const submitCallbackScrape = defineRoute('scraper', {
  operationId: 'submitCallbackScrape',
  request: 'POST /api/scraper/scrape/callback',
  summary: 'Scrape a page and have the result posted to a URL',
  description:
    'Responds as soon as the task is stored durably. The result is posted to `callbackUrl`, signed, and retried until it arrives.',
  headers: IdempotencyHeader,
  body: CallbackScrape,
  response: {
    status: 202,
    description: 'The task is accepted.',
    body: AcceptedTask,
    headers: ['Location', 'Idempotency-Replayed'],
  },
  newWork: 'task',
  failures: ['URL_NOT_ALLOWED', 'NO_PROXY_AVAILABLE', 'BROWSER_UNAVAILABLE', 'CONFLICT'],
  examples: {
    callback: {
      summary: 'A page, posted to your URL',
      body: {
        url: 'https://example.com/article',
        callbackUrl: 'https://example.com/callback',
        metadata: { order: 17 },
      },
      response: {
        requestId: '01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
        status: 'queued',
        statusUrl:
          'http://127.0.0.1:8080/api/scraper/scrape/callback/01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917',
        createdAt: '2026-03-02T09:30:00.000Z',
      },
    },
  },

  async handle({ account, body, headers, raw }, { tasks, publicUrl }) {
    const { id, createdAtMs, isReplay } = await tasks
      .submit(account.id, {
        request: toScrapeRequest('callback', body, raw.headers),
        callbackUrl: body.callbackUrl,
        callsBackOnFailure: body.callback_on_failure,
        metadata: body.metadata ?? null,
        idempotency: idempotencyOf(headers['idempotency-key'], raw.body),
      })
      .catch(explainKeyReuse)
    const accepted = {
      requestId: id,
      status: 'queued',
      statusUrl: `${publicUrl()}${statusPath(id)}`,
      createdAt: isoTime(createdAtMs),
    }
    return acceptedResponse(accepted, { location: statusPath(id), isReplay })
  },
})

const runRealtimeScrape = defineRoute('scraper', {
  operationId: 'runRealtimeScrape',
  request: 'POST /api/scraper/scrape/realtime',
  mayTakeLong: true,
  summary: 'Scrape a page and wait for it',
  description:
    'Responds with the page itself, with its image (`image/*`, or base64 as `text/plain`) where `screenshot.use` is set, or with the result object where `response_format` is `json`. `X-Request-Id` is the id of the task. Disconnecting cancels it.',
  body: RealtimeScrape,
  response: resultResponse,
  newWork: 'task',
  failures: [
    'URL_NOT_ALLOWED',
    'NO_PROXY_AVAILABLE',
    'BROWSER_UNAVAILABLE',
    'CANCELLED',
    ...targetFailures,
  ],
  examples: scrapeExamples.realtime,

  async handle({ account, body, raw, disconnected }, { tasks }): Promise<RouteResponse> {
    const given = {
      request: toScrapeRequest('realtime', body, raw.headers),
      metadata: body.metadata ?? null,
    }
    return toRealtimeResponse(await tasks.runForCaller(account.id, given, disconnected))
  },
})

export const scrapeRoutes: readonly Route[] = [submitCallbackScrape, runRealtimeScrape]

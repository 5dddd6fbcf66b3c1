import { RealtimeScrape } from '../../../domain/scrape/scrape-request.ts'
import { scrapeExamples } from '../../../wire/scrape/examples.ts'
import { toScrapeRequest } from '../../requests/scrape-request.ts'
import { resultResponse, targetFailures, toRealtimeResponse } from '../../responses/tasks.ts'
import { defineRoute, type RouteResponse } from '../../route.ts'

export const runRealtimeScrape = defineRoute({
  operationId: 'runRealtimeScrape',
  method: 'POST',
  path: '/api/scraper/scrape/realtime',
  family: 'scraper',
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

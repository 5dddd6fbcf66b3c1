import { CallbackScrape } from '../../../domain/scrape/scrape-request.ts'
import { AcceptedTask } from '../../../domain/task/task-object.ts'
import { isoTime } from '../../../runtime/iso-time.ts'
import { IdempotencyKeyReused } from '../../../tasks/submit.ts'
import { statusPath } from '../../../tasks/task-links.ts'
import { InvalidRequest } from '../../problem.ts'
import { defineRoute, RouteResponse } from '../../route.ts'
import { fingerprintOf, IdempotencyHeader, toScrapeRequest } from '../../task-bodies.ts'

export const submitCallbackScrape = defineRoute({
  operationId: 'submitCallbackScrape',
  method: 'POST',
  path: '/api/scraper/scrape/callback',
  family: 'scraper',
  summary: 'Scrape a page and have the result posted to a URL',
  description:
    'Responds as soon as the task is stored durably. The result is posted to `callbackUrl`, signed, and retried until it arrives.',
  headers: IdempotencyHeader,
  body: CallbackScrape,
  response: { status: 202, description: 'The task is accepted.', body: AcceptedTask },
  newWork: 'task',
  failures: ['URL_NOT_ALLOWED', 'NO_PROXY_AVAILABLE', 'BROWSER_UNAVAILABLE', 'CONFLICT'],

  async handle({ account, body, headers, raw }, { tasks, publicUrl }) {
    const key = headers['idempotency-key']
    const { id, createdAtMs, isReplay } = await tasks
      .submit(account.id, {
        request: toScrapeRequest(body, raw.headers),
        callbackUrl: body.callbackUrl,
        callsBackOnFailure: body.callback_on_failure,
        metadata: body.metadata ?? null,
        idempotency: key === undefined ? undefined : { key, fingerprint: fingerprintOf(raw.body) },
      })
      .catch(explainKeyReuse)
    const accepted = {
      requestId: id,
      status: 'queued' as const,
      statusUrl: `${publicUrl()}${statusPath(id)}`,
      createdAt: isoTime(createdAtMs),
    }
    const location = { location: statusPath(id) }
    return new RouteResponse(accepted, {
      headers: isReplay ? { ...location, 'idempotency-replayed': 'true' } : location,
    })
  },
})

function explainKeyReuse(error: unknown): never {
  if (!(error instanceof IdempotencyKeyReused)) throw error
  const msg = 'This key was used for a request with another body; use a new key'
  throw new InvalidRequest([{ loc: ['header', 'idempotency-key'], msg, type: 'value_error' }])
}

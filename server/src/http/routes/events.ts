import { z } from 'zod'
import { TopicsQuery } from '../../wire/events/requests.ts'
import { WatchedEvent } from '../../wire/events/responses.ts'
import { offeredCredentials } from '../auth/credentials.ts'
import { families } from '../family.ts'
import { defineRoute, type Route, RouteResponse } from '../route.ts'

const watchEvents = defineRoute('events', {
  operationId: 'watchEvents',
  request: 'GET /v1/events',
  summary: 'Watch what happens to tasks and jobs',
  description:
    'Server-sent events of the account, at most four times a second. Each has an `id`; a listener that reconnects with `Last-Event-ID` gets what it missed, or the event `reset`, after which it reads again what it shows. A comment every 15 s keeps the connection alive. Events carry ids, states and counts only.',
  query: TopicsQuery,
  headers: z.object({
    'last-event-id': z
      .string()
      .max(100)
      .optional()
      .describe('The `id` of the last event that was received.'),
  }),
  response: {
    description: 'Events until the listener disconnects.',
    body: z.string(),
    contentType: 'text/event-stream; charset=utf-8',
    items: WatchedEvent,
  },
  failures: ['RATE_LIMITED'],
  examples: {
    all: { summary: 'Everything' },
    task: {
      summary: 'One task',
      query: { topics: 'task:01a1e5f0-7c1b-7a52-9d0e-3f6b2c84d917' },
    },
  },

  handle({ account, query, headers, raw }, { events, authenticator }) {
    const offered = offeredCredentials(raw.headers, raw.address)
    const stream = events.watch(account.id, {
      topics: query.topics,
      lastEventId: headers['last-event-id'],
      authenticate: async () => authenticator.authenticate(offered, families.events.authMethods),
    })
    return new RouteResponse(stream, {
      // Without it, nginx would hold events back until its buffer is full.
      headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    })
  },
})

export const eventRoutes: readonly Route[] = [watchEvents]

import { queryOptions } from '@tanstack/react-query'
import type { TaskDetails } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { refetchPauseMs } from '../webhooks/delivery-times.ts'

/** A task; events say when it changed, but nothing says that a delivery did. */
export const taskQuery = (id: string, resentAtMs = 0) =>
  queryOptions({
    queryKey: ['task', id],
    queryFn: ({ signal }) => trawl.tasks.get(id, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data ? refetchPauseMs({ ...pendingOf(data), resentAtMs }, Date.now()) : false,
  })

/** Whether a delivery is on its way, and when the first of them is due. */
function pendingOf({ deliveries }: Pick<TaskDetails, 'deliveries'>) {
  const pending = deliveries.filter(({ status }) => status === 'pending')
  const dueAtMs = pending.map((one) => Date.parse(one.next_attempt_at ?? one.created_at))
  return { hasPending: pending.length > 0, dueAtMs: Math.min(...dueAtMs) }
}

// What a completed task has scraped never changes, so nothing makes it be read again.
const forever = { staleTime: 'static', retry: false } as const

export const responseQuery = (id: string) =>
  queryOptions({
    queryKey: ['task-response', id],
    queryFn: ({ signal }) => trawl.tasks.getResponse(id, { signal }),
    ...forever,
  })

export const resultQuery = (id: string) =>
  queryOptions({
    queryKey: ['task-result', id],
    queryFn: ({ signal }) => trawl.getScrape(id, { signal }),
    ...forever,
    // It may be large.
    gcTime: 10_000,
  })

import { keepPreviousData, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { useEffect } from 'react'
import { trawl } from '../client.ts'
import type { DeliveryFilters } from './delivery-filters.ts'
import { findGone, pauseReason } from './delivery-health.ts'
import { refetchPauseMs } from './delivery-times.ts'

const deliveryPageSize = 20

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  // An account has ten of them at most.
  queryFn: async ({ signal }) => (await trawl.webhooks.list({}, { signal })).items,
})

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: ({ signal }) => trawl.webhooks.get(id, { signal }),
  })

export const deliveriesQuery = (
  webhookId: string,
  { status, page }: Omit<DeliveryFilters, 'delivery'>,
  resentAtMs = 0,
) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, status ?? '', page],
    queryFn: async ({ signal }) =>
      await trawl.webhooks.listDeliveries(
        webhookId,
        { page, page_size: deliveryPageSize, ...(status && { status }) },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      const newest = data?.items.find((delivery) => delivery.status === 'pending')
      const dueAtMs = newest ? Date.parse(newest.created_at) : 0
      return refetchPauseMs({ hasPending: newest !== undefined, dueAtMs, resentAtMs }, Date.now())
    },
  })

export const deliveryQuery = (webhookId: string, deliveryId: string, resentAtMs = 0) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'one', deliveryId],
    queryFn: ({ signal }) => trawl.webhooks.getDelivery(webhookId, deliveryId, { signal }),
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false
      const { status, created_at, next_attempt_at, body } = data
      const shown = {
        hasPending: status === 'pending',
        dueAtMs: Date.parse(next_attempt_at ?? created_at),
        resentAtMs,
        bodyLength: body?.length ?? 0,
      }
      return refetchPauseMs(shown, Date.now())
    },
  })

/** Why a webhook sends nothing; undefined while it does. No event says that the service has paused it. */
export function usePauseReason(webhook: Webhook): string | undefined {
  const client = useQueryClient()
  const { data } = useQuery(deliveriesQuery(webhook.id, { page: 1 }))
  const deliveries = data?.items ?? []
  const goneId = findGone(deliveries)?.id
  useEffect(() => {
    if (goneId !== undefined) void client.invalidateQueries({ queryKey: webhooksQuery.queryKey })
  }, [client, goneId])
  return pauseReason(webhook, deliveries)
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Webhook } from '@trawl/sdk'
import { useEffect } from 'react'
import { findGone, pauseReason } from './delivery-health.ts'
import { deliveriesQuery, webhooksQuery } from './webhook-queries.ts'

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

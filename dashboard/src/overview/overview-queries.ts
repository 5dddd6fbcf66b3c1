import { queryOptions } from '@tanstack/react-query'
import { trawl } from '../client.ts'

/** What the overview shows. Events say when most of it is out of date; the intervals are for what has none. */

export const seriesQuery = queryOptions({
  queryKey: ['series', 'hour'],
  queryFn: ({ signal }) => trawl.getSeries({ step: '1m' }, { signal }),
  // The minutes go on also while nothing happens.
  refetchInterval: 30_000,
})

export const busiestDomainsQuery = queryOptions({
  queryKey: ['domains', 'busiest'],
  queryFn: async ({ signal }) => (await trawl.listDomains({ page_size: 10 }, { signal })).items,
})

export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  queryFn: ({ signal }) => trawl.getStatistics({}, { signal }),
})

// 52 weeks before today; the route has one day more at most.
const calendarMs = 364 * 86_400_000

export const yearQuery = queryOptions({
  queryKey: ['statistics', 'year'],
  queryFn: ({ signal }) =>
    trawl.getStatistics(
      { start_date: new Date(Date.now() - calendarMs).toISOString().slice(0, 10) },
      { signal },
    ),
})

export const concurrencyQuery = queryOptions({
  queryKey: ['pressure', 'concurrency'],
  queryFn: ({ signal }) => trawl.getConcurrency({ signal }),
  refetchInterval: 10_000,
})

export const pressureQuery = queryOptions({
  queryKey: ['pressure', 'service'],
  queryFn: ({ signal }) => trawl.service.getPressure({ signal }),
  refetchInterval: 5_000,
})

export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  queryFn: ({ signal }) => trawl.service.getCapabilities({ signal }),
  refetchInterval: 30_000,
})

import { useQuery } from '@tanstack/react-query'
import { Chart } from '../parts/chart.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { countText, durationText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'
import { BusiestDomains } from './busiest-domains.tsx'
import { ErrorMix } from './error-mix.tsx'
import { ErrorMixOverTime } from './error-mix-over-time.tsx'
import { Last30Days } from './last-30-days.tsx'
import { LatencyHeat } from './latency-heat.tsx'
import { seriesQuery } from './overview-queries.ts'
import { QueueCharts } from './queue-charts.tsx'
import { ServiceStrip } from './service-strip.tsx'
import { sumUpSeries } from './sum-up-series.ts'
import { Tiles } from './tiles.tsx'
import { UsageCalendar } from './usage-calendar.tsx'

export function OverviewPage() {
  const { data: series, error } = useQuery(seriesQuery)
  if (!series) return error ? <Unreadable error={error} /> : <p className="soft">Loading…</p>
  const sums = sumUpSeries(series)
  const { points } = series
  const times = points.map(({ time }) => time)
  return (
    <>
      {error && <Unreadable error={error} />}
      <Tiles points={points} sums={sums} />
      {sums.completed + sums.failed === 0 && <FirstRequest />}
      <div className="panels">
        <Chart
          title="Throughput in the last hour"
          times={times}
          isStacked
          valueText={countText}
          lines={[
            line(
              'Completed',
              '--series-1',
              points.map((point) => point.completed),
            ),
            line(
              'Failed',
              '--series-2',
              points.map((point) => point.failed),
            ),
            line(
              'Retried',
              '--series-5',
              points.map((point) => point.retries),
            ),
          ]}
        />
        <Chart
          title="Latency in the last hour"
          times={times}
          valueText={durationText}
          lines={[
            line(
              'Half (p50)',
              '--series-1',
              points.map((point) => point.p50_ms),
            ),
            {
              ...line(
                'p95',
                '--series-3',
                points.map((point) => point.p95_ms),
              ),
              dash: [6, 4],
            },
            {
              ...line(
                'p99',
                '--series-2',
                points.map((point) => point.p99_ms),
              ),
              dash: [2, 3],
            },
          ]}
        />
        <LatencyHeat points={points} />
        <ErrorMix codes={sums.codes} />
        <ErrorMixOverTime points={points} codes={sums.codes} />
        <QueueCharts points={points} />
        <BusiestDomains />
        <Last30Days />
        <ServiceStrip />
        <UsageCalendar />
      </div>
    </>
  )
}

const line = (label: string, token: string, values: (number | null)[]) => ({ label, token, values })

function FirstRequest() {
  return (
    <EmptyState
      title="Nothing was scraped in the last hour"
      command={`curl ${window.location.origin}/v1/extract -H "X-Api-Key: $TRAWL_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"url": "https://example.com", "formats": ["markdown"]}'`}
    >
      Send a request, and its numbers appear here:
    </EmptyState>
  )
}

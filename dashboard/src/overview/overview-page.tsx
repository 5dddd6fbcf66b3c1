import { useQuery } from '@tanstack/react-query'
import type { Series } from '@trawl/sdk'
import { trawl } from '../client.ts'
import { DomainTable } from '../domains/domains-page.tsx'
import { Chart } from '../parts/chart.tsx'
import { EmptyState, Facts, Loaded, Panel } from '../parts/panel.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'
import { ErrorMix, ErrorMixOverTime, LatencyHeat } from './hour-pictures.tsx'
import { ServiceStrip } from './service-strip.tsx'
import { oldestAgeMs, type SeriesPoint, sumUpSeries } from './sum-up-series.ts'
import { Tiles } from './tiles.tsx'
import { UsageCalendar } from './usage-calendar.tsx'

export function OverviewPage() {
  const series = useQuery({
    queryKey: ['series', 'hour'],
    queryFn: ({ signal }) => trawl.getSeries({ step: '1m' }, { signal }),
    // The minutes go on also while nothing happens.
    refetchInterval: 30_000,
  })
  return <Loaded query={series}>{(data) => <LastHour series={data} />}</Loaded>
}

function LastHour({ series }: { series: Series }) {
  const sums = sumUpSeries(series)
  const { points } = series
  return (
    <>
      <Tiles points={points} sums={sums} />
      {sums.completed + sums.failed === 0 && <FirstRequest />}
      <div className="panels">
        <SeriesChart title="Throughput in the last hour" points={points} isStacked lines={ends} />
        <SeriesChart title="Latency in the last hour" points={points} lines={latencies} />
        <LatencyHeat points={points} />
        <ErrorMix codes={sums.codes} />
        <ErrorMixOverTime points={points} codes={sums.codes} />
        <SeriesChart title="Queue at its longest" points={points} isStacked lines={waiting} />
        <SeriesChart title="Age of the oldest that waits" points={points} lines={ages} />
        <BusiestDomains />
        <Last30Days />
        <ServiceStrip />
        <UsageCalendar />
      </div>
    </>
  )
}

interface SeriesLine {
  label: string
  token: string
  read: (point: SeriesPoint) => number | null
  dash?: readonly number[]
}

const ends: SeriesLine[] = [
  { label: 'Completed', token: '--series-1', read: ({ completed }) => completed },
  { label: 'Failed', token: '--series-2', read: ({ failed }) => failed },
  { label: 'Retried', token: '--series-5', read: ({ retries }) => retries },
]
const latencies: SeriesLine[] = [
  { label: 'Half (p50)', token: '--series-1', read: ({ p50_ms }) => p50_ms },
  { label: 'p95', token: '--series-3', read: ({ p95_ms }) => p95_ms, dash: [6, 4] },
  { label: 'p99', token: '--series-2', read: ({ p99_ms }) => p99_ms, dash: [2, 3] },
]
const waiting: SeriesLine[] = [
  { label: 'Waiting', token: '--series-4', read: ({ queue_depth }) => queue_depth },
]
const ages: SeriesLine[] = [{ label: 'Age', token: '--series-4', read: oldestAgeMs }]

/** Counts are stacked, times are not. */
const SeriesChart = (props: {
  title: string
  points: readonly SeriesPoint[]
  lines: readonly SeriesLine[]
  isStacked?: boolean
}) => (
  <Chart
    title={props.title}
    times={props.points.map(({ time }) => time)}
    isStacked={props.isStacked ?? false}
    valueText={props.isStacked ? countText : durationText}
    lines={props.lines.map(({ read, ...line }) => ({
      ...line,
      values: props.points.map(read),
    }))}
  />
)

const FirstRequest = () => (
  <EmptyState
    title="Nothing was scraped in the last hour"
    command={`curl ${window.location.origin}/v1/extract -H "X-Api-Key: $TRAWL_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"url": "https://example.com", "formats": ["markdown"]}'`}
  >
    Send a request, and its numbers appear here:
  </EmptyState>
)

function BusiestDomains() {
  const domains = useQuery({
    queryKey: ['domains', 'busiest'],
    queryFn: async ({ signal }) => (await trawl.listDomains({ page_size: 10 }, { signal })).items,
  })
  return (
    <Panel title="Success by domain in 30 days">
      <Loaded query={domains}>
        {(rows) => (
          <DomainTable
            label="Success by domain"
            rows={rows}
            empty={<p className="soft">No domain was scraped.</p>}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function Last30Days() {
  const statistics = useQuery({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => trawl.getStatistics({}, { signal }),
  })
  return (
    <Panel title="Last 30 days">
      <Loaded query={statistics}>
        {(data) => (
          <>
            <Sparkline
              values={data.requests.map(
                (day) => day.success_request_count + day.failed_request_count,
              )}
            />
            <Facts
              facts={{
                Tasks: (
                  <>
                    {countText(data.extraction_count)}
                    <span className="soft">
                      , {countText(data.previous_period_extraction_count)} in the 30 days before
                    </span>
                  </>
                ),
                Success: data.extraction_count === 0 ? '–' : shareText(data.success_rate, 1),
                'On average': durationText(data.average_extraction_duration),
                'Pages fetched': countText(data.period_tokens_used),
              }}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

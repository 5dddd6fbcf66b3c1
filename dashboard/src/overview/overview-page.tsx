import { useQuery } from '@tanstack/react-query'
import { DomainTable } from '../domains/domains-page.tsx'
import { Chart } from '../parts/chart.tsx'
import { EmptyState, Panel, Unreadable } from '../parts/panel.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'
import { ErrorMix, ErrorMixOverTime } from './error-mix.tsx'
import { LatencyHeat } from './latency-heat.tsx'
import { busiestDomainsQuery, seriesQuery, statisticsQuery } from './overview-queries.ts'
import { ServiceStrip } from './service-strip.tsx'
import { oldestAgeMs, type SeriesPoint, sumUpSeries } from './sum-up-series.ts'
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

function QueueCharts({ points }: { points: readonly SeriesPoint[] }) {
  const times = points.map(({ time }) => time)
  return (
    <>
      <Chart
        title="Queue at its longest"
        times={times}
        isStacked
        valueText={countText}
        lines={[
          {
            label: 'Waiting',
            token: '--series-4',
            values: points.map(({ queue_depth }) => queue_depth),
          },
        ]}
      />
      <Chart
        title="Age of the oldest that waits"
        times={times}
        valueText={durationText}
        lines={[{ label: 'Age', token: '--series-4', values: points.map(oldestAgeMs) }]}
      />
    </>
  )
}

function BusiestDomains() {
  const { data, error } = useQuery(busiestDomainsQuery)
  return (
    <Panel title="Success by domain in 30 days">
      {error && <Unreadable error={error} />}
      {data?.length === 0 && <p className="soft">No domain was scraped.</p>}
      {data && data.length > 0 && <DomainTable label="Success by domain" domains={data} />}
    </Panel>
  )
}

function Last30Days() {
  const { data, error } = useQuery(statisticsQuery)
  return (
    <Panel title="Last 30 days">
      {error && <Unreadable error={error} />}
      {data && (
        <>
          <Sparkline
            values={data.requests.map(
              (day) => day.success_request_count + day.failed_request_count,
            )}
          />
          <dl className="facts">
            <dt>Tasks</dt>
            <dd className="number">
              {countText(data.extraction_count)}
              <span className="soft">
                , {countText(data.previous_period_extraction_count)} in the 30 days before
              </span>
            </dd>
            <dt>Success</dt>
            <dd className="number">
              {data.extraction_count === 0 ? '–' : shareText(data.success_rate, 1)}
            </dd>
            <dt>On average</dt>
            <dd className="number">{durationText(data.average_extraction_duration)}</dd>
            <dt>Pages fetched</dt>
            <dd className="number">{countText(data.period_tokens_used)}</dd>
          </dl>
        </>
      )}
    </Panel>
  )
}

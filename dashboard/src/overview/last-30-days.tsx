import { useQuery } from '@tanstack/react-query'
import { countText, durationText, shareText } from '../parts/number-text.ts'
import { Panel } from '../parts/panel.tsx'
import { Sparkline } from '../parts/sparkline.tsx'
import { Unreadable } from '../parts/unreadable.tsx'
import { statisticsQuery } from './overview-queries.ts'

export function Last30Days() {
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

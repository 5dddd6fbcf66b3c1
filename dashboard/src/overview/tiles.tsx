import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { countText, durationText, shareText } from '../parts/number-text.ts'
import { Sparkline } from '../parts/sparkline.tsx'
import { concurrencyQuery } from './overview-queries.ts'
import { oldestAgeMs } from './queue-charts.tsx'
import { endedIn, type SeriesPoint, type SeriesSums } from './sum-up-series.ts'
import { useSamples } from './use-samples.ts'
import { oldestText } from './waiting-text.ts'

/** The five numbers to look at first. */
export function Tiles({ points, sums }: { points: readonly SeriesPoint[]; sums: SeriesSums }) {
  const now = points.at(-1)
  return (
    <div className="tiles">
      <Tile name="Tasks a minute" course={points.map(endedIn)}>
        {countText(sums.perMinute)}
      </Tile>
      <Tile
        name="Success"
        course={points.map((point) =>
          endedIn(point) === 0 ? null : point.completed / endedIn(point),
        )}
        beside={`${countText(sums.failed)} failed in the last hour`}
      >
        {shareText(sums.completed, sums.completed + sums.failed)}
      </Tile>
      <Tile
        name="Half took up to"
        course={points.map((point) => point.p50_ms)}
        beside={`95 % took up to ${durationText(sums.p95Ms)}`}
      >
        {durationText(sums.p50Ms)}
      </Tile>
      <Tile
        name="Waiting"
        course={points.map(({ queue_depth }) => queue_depth)}
        beside={now ? oldestText(now.queue_depth, oldestAgeMs(now)) : ''}
      >
        {countText(now?.queue_depth ?? 0)}
      </Tile>
      <RunningTile />
    </div>
  )
}

function RunningTile() {
  const { data, dataUpdatedAt } = useQuery(concurrencyQuery)
  const samples = useSamples(data?.work_concurrency_in_use, dataUpdatedAt)
  return (
    <Tile
      name="Running"
      course={samples.map(({ value }) => value)}
      beside={data ? `of ${countText(data.work_concurrency_limit)} at once` : ''}
    >
      {data ? countText(data.work_concurrency_in_use) : '–'}
    </Tile>
  )
}

function Tile(props: {
  name: string
  course: readonly (number | null)[]
  beside?: string
  children: ReactNode
}) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{props.name}</h2>
      <p className="tile-value">{props.children}</p>
      <Sparkline values={props.course} />
      <p className="soft small">{props.beside}</p>
    </section>
  )
}

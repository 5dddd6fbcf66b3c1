import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useId, useRef } from 'react'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'
import { concurrencyQuery } from './overview-queries.ts'
import {
  endedIn,
  oldestAgeMs,
  oldestText,
  type SeriesPoint,
  type SeriesSums,
} from './sum-up-series.ts'

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

interface Sample<Value> {
  timeMs: number
  value: Value
}

// Twenty minutes of the query behind it.
const samplesMax = 120

/** The values that a query had since the page was opened: the service keeps no history of them. */
function useSamples<Value>(value: Value | undefined, readAtMs: number): readonly Sample<Value>[] {
  const samples = useRef<Sample<Value>[]>([])
  if (value !== undefined && samples.current.at(-1)?.timeMs !== readAtMs) {
    samples.current = [...samples.current, { timeMs: readAtMs, value }].slice(-samplesMax)
  }
  return samples.current
}

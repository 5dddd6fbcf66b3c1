import { useQuery } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { trawl } from '../client.ts'
import { Sparkline } from '../parts/sparkline.tsx'
import { countText, durationText, shareText } from '../parts/value-text.ts'
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
      <Tile name="Tasks a minute" value={countText(sums.perMinute)} course={points.map(endedIn)} />
      <Tile
        name="Success"
        value={shareText(sums.completed, sums.completed + sums.failed)}
        course={points.map((one) => (endedIn(one) === 0 ? null : one.completed / endedIn(one)))}
        beside={`${countText(sums.failed)} failed in the last hour`}
      />
      <Tile
        name="Half took up to"
        value={durationText(sums.p50Ms)}
        course={points.map((point) => point.p50_ms)}
        beside={`95 % took up to ${durationText(sums.p95Ms)}`}
      />
      <Tile
        name="Waiting"
        value={countText(now?.queue_depth ?? 0)}
        course={points.map(({ queue_depth }) => queue_depth)}
        beside={now ? oldestText(now.queue_depth, oldestAgeMs(now)) : ''}
      />
      <RunningTile />
    </div>
  )
}

function RunningTile() {
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['pressure', 'concurrency'],
    queryFn: ({ signal }) => trawl.getConcurrency({ signal }),
    refetchInterval: 10_000,
  })
  const samples = useSamples(data?.work_concurrency_in_use, dataUpdatedAt)
  return (
    <Tile
      name="Running"
      value={data ? countText(data.work_concurrency_in_use) : '–'}
      course={samples}
      beside={data ? `of ${countText(data.work_concurrency_limit)} at once` : ''}
    />
  )
}

function Tile(props: {
  name: string
  value: string
  course: readonly (number | null)[]
  beside?: string
}) {
  const id = useId()
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{props.name}</h2>
      <p className="tile-value">{props.value}</p>
      <Sparkline values={props.course} />
      <p className="soft small">{props.beside}</p>
    </section>
  )
}

// Twenty minutes of the query behind it.
const samplesMax = 120

/** The values that a query had since the page was opened: the service keeps no history of them. */
function useSamples(value: number | undefined, readAtMs: number): readonly number[] {
  const samples = useRef<number[]>([])
  const lastAtMs = useRef(0)
  if (value !== undefined && lastAtMs.current !== readAtMs) {
    lastAtMs.current = readAtMs
    samples.current = [...samples.current, value].slice(-samplesMax)
  }
  return samples.current
}

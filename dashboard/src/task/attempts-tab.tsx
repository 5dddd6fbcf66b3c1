import type { TaskDetails } from '@trawl/sdk'
import { Badge } from '../parts/badge.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { momentText } from '../parts/moment-text.ts'
import { durationText } from '../parts/number-text.ts'
import { isFailedAttempt, outcomeText } from './lay-out-waterfall.ts'

/** Every attempt with its proxy, its outcome and its times. */
export function AttemptsTab({ attempts }: { attempts: TaskDetails['attempt_log'] }) {
  return (
    <DataTable
      label="Attempts"
      rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 }))}
      keyOf={({ number }) => String(number)}
      columns={[
        { name: 'Attempt', cell: ({ number }) => number },
        {
          name: 'Outcome',
          cell: (attempt) => (
            <Badge tone={isFailedAttempt(attempt) ? 'bad' : 'good'}>{outcomeText(attempt)}</Badge>
          ),
        },
        { name: 'Engine', cell: ({ engine }) => engine },
        { name: 'Proxy', cell: ({ proxy }) => proxy ?? 'none' },
        { name: 'Started', cell: ({ started_at }) => momentText(started_at) },
        { name: 'Queued', align: 'end', cell: ({ queue_ms }) => durationText(queue_ms) },
        { name: 'Took', align: 'end', cell: ({ duration_ms }) => durationText(duration_ms) },
        { name: 'Phases', cell: ({ timings }) => timingsText(timings) },
      ]}
    />
  )
}

const timingsText = (timings: TaskDetails['attempt_log'][number]['timings']): string =>
  Object.entries(timings ?? {})
    .filter(([, ms]) => ms > 0)
    .map(([name, ms]) => `${name.replaceAll('_', ' ')} ${durationText(ms)}`)
    .join(', ') || '–'

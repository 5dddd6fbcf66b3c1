import type { Domain } from '@trawl/sdk'
import { DataTable } from '../parts/data-table.tsx'
import { countText, durationText, shareText } from '../parts/number-text.ts'
import { Sparkline } from '../parts/sparkline.tsx'

/** How hosts have responded. */
export function DomainTable({ label, domains }: { label: string; domains: readonly Domain[] }) {
  return (
    <DataTable
      label={label}
      rows={domains}
      keyOf={({ host }) => host}
      columns={[
        { name: 'Domain', cell: ({ host }) => host },
        {
          name: 'Success',
          align: 'end',
          cell: ({ completed, failed }) => shareText(completed, completed + failed),
        },
        {
          name: 'Tasks',
          align: 'end',
          cell: ({ completed, failed }) => countText(completed + failed),
        },
        { name: 'Blocked', align: 'end', cell: ({ blocked }) => countText(blocked) },
        { name: 'p95', align: 'end', cell: ({ p95_ms }) => durationText(p95_ms) },
        {
          name: 'By day',
          cell: ({ days }) => (
            <Sparkline
              values={days.map(({ completed, failed }) => completed / (completed + failed))}
            />
          ),
        },
      ]}
    />
  )
}

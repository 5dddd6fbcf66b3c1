import { DataTable, FigureWithTable } from '../parts/data-table.tsx'
import { bytesText, countText, durationText } from '../parts/value-text.ts'
import { TimePictureView } from './time-picture.tsx'
import { layOutNetwork, type RecordedRequest, requestOutcome } from './time-rows.ts'

const title = 'Page network'

/** What a page loaded, and what it was kept from loading. */
export function PageNetwork({ requests }: { requests: readonly RecordedRequest[] }) {
  if (requests.length === 0) return null
  const picture = layOutNetwork(requests)
  return (
    <FigureWithTable
      title={title}
      picture={
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="network-frame" aria-label={title} tabIndex={0}>
          <TimePictureView
            label={`${title}: ${countText(picture.rows.length)} requests in ${durationText(picture.totalMs)}`}
            picture={picture}
          />
        </section>
      }
      table={<NetworkTable requests={requests} />}
    />
  )
}

function NetworkTable({ requests }: { requests: readonly RecordedRequest[] }) {
  const rows = requests.map((request, index) => ({ ...request, index }))
  return (
    <DataTable
      label={title}
      rows={rows}
      keyOf={({ index }) => String(index)}
      columns={[
        { name: 'URL', cell: ({ url }) => <span className="long-text">{url}</span> },
        { name: 'Type', cell: ({ type }) => type },
        { name: 'Outcome', cell: requestOutcome },
        { name: 'From', align: 'end', cell: ({ started_ms }) => durationText(started_ms) },
        { name: 'Took', align: 'end', cell: ({ duration_ms }) => durationText(duration_ms) },
        { name: 'Size', align: 'end', cell: ({ bytes }) => bytesText(bytes) },
      ]}
    />
  )
}

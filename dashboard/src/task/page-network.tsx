import { FigureWithTable } from '../parts/data-table.tsx'
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
      rows={requests}
      columns={[
        ['URL', ({ url }) => <span className="long-text">{url}</span>],
        ['Type', ({ type }) => type],
        ['Outcome', requestOutcome],
        ['From', ({ started_ms }) => durationText(started_ms), 'end'],
        ['Took', ({ duration_ms }) => durationText(duration_ms), 'end'],
        ['Size', ({ bytes }) => bytesText(bytes), 'end'],
      ]}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="network-frame" aria-label={title} tabIndex={0}>
        <TimePictureView
          label={`${title}: ${countText(picture.rows.length)} requests in ${durationText(picture.totalMs)}`}
          picture={picture}
        />
      </section>
    </FigureWithTable>
  )
}

import type { MapJob } from '@trawl/sdk'
import { DataTable } from '../parts/data-table.tsx'
import { Panel } from '../parts/panel.tsx'
import { countText } from '../parts/value-text.ts'

/** A map may have 100,000 links, and a page with as many rows is of no use. */
export const shownLinksMax = 500

const sourceNames = { sitemap: 'a sitemap', html: 'the page' }

export function FoundLinks({ links }: { links: MapJob['links'] }) {
  if (links.length === 0) return null
  return (
    <Panel title={`URLs: ${countText(links.length)}`}>
      {links.length > shownLinksMax && (
        <p className="soft small">The first {shownLinksMax}; the download has all of them.</p>
      )}
      <LinkTable links={links} />
    </Panel>
  )
}

/** The first of the links. */
export const LinkTable = ({ links }: { links: MapJob['links'] }) => (
  <DataTable
    label="Links of the site"
    rows={links.slice(0, shownLinksMax)}
    columns={[
      ['URL', ({ url }) => <span className="long-text">{url}</span>],
      ['Found in', ({ source }) => sourceNames[source]],
    ]}
  />
)

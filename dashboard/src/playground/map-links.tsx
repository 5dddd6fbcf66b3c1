import type { SiteMap } from '@trawl/sdk'
import { LinkTable, shownLinksMax } from '../jobs/found-links.tsx'
import { countText, durationText } from '../parts/number-text.ts'

/** The URLs of a site. */
export function MapLinks({ map }: { map: SiteMap }) {
  const { links_count, duration_ms } = map.metadata
  return (
    <div className="stack">
      <p role="status">
        {countText(links_count)} {links_count === 1 ? 'link' : 'links'} in{' '}
        {durationText(duration_ms)}
        {links_count > shownLinksMax && `; the first ${countText(shownLinksMax)} are shown`}
      </p>
      {map.warning && <p className="notice">{map.warning}</p>}
      <LinkTable links={map.links} />
    </div>
  )
}

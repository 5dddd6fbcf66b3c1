import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { countText } from '../parts/number-text.ts'
import { Unreadable } from '../parts/unreadable.tsx'
import { countDepths } from './count-depths.ts'
import { CrawlMap } from './crawl-map.tsx'
import { crawlOutlineQuery, outlinedMax } from './crawl-outline.ts'
import { DepthChart } from './depth-chart.tsx'
import { buildPageTree } from './page-tree.ts'
import { PageTree } from './page-tree-list.tsx'
import type { OpenedJob } from './shown-job.ts'

/** A crawl as a whole: how wide it is at which depth, and what was found where. */
export function CrawlPictures({ job }: { job: OpenedJob }) {
  const { data: pages, error } = useQuery(crawlOutlineQuery(job))
  const shown = useMemo(
    () => pages && { depths: countDepths(pages), roots: buildPageTree(pages) },
    [pages],
  )
  if (!pages || !shown || pages.length === 0) return error && <Unreadable error={error} />
  return (
    <>
      {error && <Unreadable error={error} />}
      {pages.length >= outlinedMax && job.counts.total > outlinedMax && (
        <p role="status" className="soft small">
          The pictures and the tree have the first {countText(outlinedMax)} of{' '}
          {countText(job.counts.total)} pages.
        </p>
      )}
      <div className="panels">
        <DepthChart depths={shown.depths} />
        <CrawlMap roots={shown.roots} depths={shown.depths} />
      </div>
      <PageTree roots={shown.roots} pageCount={pages.length} />
    </>
  )
}

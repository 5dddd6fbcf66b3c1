import { useMutation, useQueryClient } from '@tanstack/react-query'
import { trawl } from '../client.ts'
import { Button } from '../parts/button.tsx'
import { actOnEach, reportText } from '../tasks/act-on-each.ts'
import { findMatching } from '../tasks/find-matching.ts'
import { plural, type ShownJob } from './shown-job.ts'

/** A batch runs its failed pages again itself; those of a crawl become tasks of their own. */
export function RetryFailedPages({ job: { id, kind } }: { job: ShownJob }) {
  const client = useQueryClient()
  const retrying = useMutation({
    mutationFn: () => (kind === 'batch' ? retryInBatch(id) : retryEach(id)),
    onSettled: () => client.invalidateQueries({ queryKey: ['job', id] }),
  })
  return (
    <>
      <Button disabled={retrying.isPending} onClick={() => retrying.mutate()}>
        Retry failed
      </Button>
      <span role="status" className="small">
        {retrying.data}
        {retrying.error?.message}
      </span>
    </>
  )
}

async function retryInBatch(id: string): Promise<string> {
  await trawl.retryFailedOfBatch(id)
  return ''
}

async function retryEach(job: string): Promise<string> {
  const failed = { job, status: 'failed' } as const
  const ids = new Set<string>()
  // All are found first, as those that are retried stay failed in the crawl.
  for await (const task of findMatching((query) => trawl.tasks.list(query), failed)) {
    ids.add(task.id)
  }
  const report = await actOnEach(ids, (id) => trawl.tasks.retry(id))
  return reportText(`${plural(report.doneCount, 'page')} retried as tasks of their own`, report)
}

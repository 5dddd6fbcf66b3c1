import type { ShownJob } from './shown-job.ts'

/** A part of the list of all jobs. */
export interface NewestJobs {
  jobs: readonly ShownJob[]
  /**
   * Until when the next part was created; undefined where there is none. That moment belongs to both parts, as
   * not every job of it may be in this one.
   */
  olderUntil: string | undefined
}

/** The beginning of the list of one kind of jobs. */
export interface ListOfKind {
  jobs: readonly ShownJob[]
  hasMore: boolean
}

/** The newest of several lists, each of which begins with its newest. */
export function mergeNewest(lists: readonly ListOfKind[], length: number): NewestJobs {
  const all = lists
    .flatMap(({ jobs }) => jobs)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
  const jobs = all.slice(0, length)
  const hasMore = all.length > length || lists.some((list) => list.hasMore)
  return { jobs, olderUntil: hasMore ? jobs.at(-1)?.createdAt : undefined }
}

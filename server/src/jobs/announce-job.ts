import { notify, type Statement } from '../storage/statement.ts'
import type { JobView } from '../storage/tables/jobs.ts'

export const jobsChannel = 'jobs_changed'

/** What the driver needs to know of a job that changed: accounts take turns. */
export type ChangedJob = Pick<JobView, 'id' | 'accountId'>

/** Tells the processes that drive jobs about a change that was made in another process. */
export const announceJob = ({ id, accountId }: ChangedJob): Statement<never> =>
  notify(jobsChannel, `${id} ${accountId}`)

export function readAnnounced(notice: string): ChangedJob {
  const [id = '', accountId = ''] = notice.split(' ')
  return { id, accountId }
}

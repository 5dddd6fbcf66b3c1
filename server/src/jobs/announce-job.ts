import { notify, type Statement } from '../storage/statement.ts'

export const jobsChannel = 'jobs_changed'

/** Tells the processes that drive jobs about a change that was made in another process. */
export const announceJob = (jobId: string): Statement<never> => notify(jobsChannel, jobId)

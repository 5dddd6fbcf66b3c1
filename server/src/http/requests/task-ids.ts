import { z } from 'zod'

/** Any text is a valid id: one that no task has gets 404. */
export const TaskPath = z.object({ request_id: z.string().describe('The `requestId`.') })

export const JobPath = z.object({ job_id: z.guid().toLowerCase().describe('The id of the job.') })

import { z } from 'zod'
import { jobKindNames } from '../../domain/job/job.ts'
import { TaskStatus } from '../named-enums.ts'

const status = TaskStatus
const time = z.string().describe('ISO 8601, UTC: when the service noticed it.')

/** A task has another status. */
const TaskEvent = z
  .object({
    type: z.literal('task'),
    task_id: z.uuid(),
    job_id: z.uuid().nullable().describe('The batch, crawl or map that it belongs to.'),
    status,
    at: time,
  })
  .meta({ id: 'TaskEvent' })

/** Too many tasks changed to name each: how many got which status. */
const TasksEvent = z
  .object({
    type: z.literal('tasks'),
    counts: z.partialRecord(status, z.int()).describe('How many tasks got which status.'),
    at: time,
  })
  .meta({ id: 'TasksEvent' })

/** A job has another status or other counts. */
const JobEvent = z
  .object({
    type: z.literal('job'),
    job_id: z.uuid(),
    kind: z.enum(jobKindNames),
    status,
    counts: z
      .object({
        total: z.int(),
        pending: z.int(),
        completed: z.int(),
        failed: z.int(),
        cancelled: z.int(),
      })
      .describe('Its pages by status; they add up to `total`.'),
    is_ended: z.boolean().describe('No page of it runs any more.'),
    at: time,
  })
  .meta({ id: 'JobEvent' })

/** How much of the account's work waits and runs. */
const QueueEvent = z
  .object({
    type: z.literal('queue'),
    waiting: z.int().describe('Tasks of the account that wait.'),
    running: z.int().describe('Tasks of the account that run.'),
    at: time,
  })
  .meta({ id: 'QueueEvent' })

/** Events were missed: read again what is shown. */
const ResetEvent = z.object({ type: z.literal('reset'), at: time }).meta({ id: 'ResetEvent' })

/** The data of an event of the stream; its name is the `type`. */
export const WatchedEvent = z
  .discriminatedUnion('type', [TaskEvent, TasksEvent, JobEvent, QueueEvent, ResetEvent])
  .meta({ id: 'WatchedEvent' })

export type WatchedEvent = z.infer<typeof WatchedEvent>

import { z } from 'zod'
import type { WatchedEvent } from './responses.ts'

/** Which events a listener wants. */
export interface EventTopics {
  tasks: boolean
  jobs: boolean
  queue: boolean
  taskIds: ReadonlySet<string>
  jobIds: ReadonlySet<string>
}

const topicsMax = 100
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const topicPattern = new RegExp(
  `^(?:(?<every>tasks|jobs|queue)|(?<kind>task|job):(?<id>${uuid}))$`,
  'i',
)

/** Reads `tasks,jobs,queue,task:ID,job:ID`; undefined if one of them is no topic. */
export function readTopics(text: string): EventTopics | undefined {
  const names = text.split(',').map((name) => name.trim())
  const matches = names.map((name) => topicPattern.exec(name)?.groups)
  if (names.length > topicsMax || matches.includes(undefined)) return undefined
  const every = new Set(matches.map((match) => match?.['every']?.toLowerCase()))
  const idsOf = (kind: string): Set<string> =>
    new Set(
      matches.flatMap((match) =>
        match?.['kind']?.toLowerCase() === kind ? [String(match['id']).toLowerCase()] : [],
      ),
    )
  return {
    tasks: every.has('tasks'),
    jobs: every.has('jobs'),
    queue: every.has('queue'),
    taskIds: idsOf('task'),
    jobIds: idsOf('job'),
  }
}

/** Whether a listener with these topics gets the event. */
export function isWanted(topics: EventTopics, event: WatchedEvent): boolean {
  switch (event.type) {
    case 'task':
      return topics.tasks || topics.taskIds.has(event.task_id)
    case 'tasks':
      return topics.tasks
    case 'job':
      return topics.jobs || topics.jobIds.has(event.job_id)
    case 'queue':
      return topics.queue
    case 'reset':
      return true
  }
}

export const TopicsQuery = z.object({
  topics: z
    .string()
    .max(8192)
    .default('tasks,jobs,queue')
    .transform((text, context) => {
      const topics = readTopics(text)
      if (topics) return topics
      context.addIssue({
        code: 'custom',
        message: `Input should be at most ${topicsMax} of tasks, jobs, queue, task:ID and job:ID, separated by commas`,
        params: { type: 'value_error' },
        input: text,
      })
      return z.NEVER
    })
    .describe(
      '`tasks`, `jobs`, `queue`, `task:ID` and `job:ID`, separated by commas; the first three by default.',
    ),
})

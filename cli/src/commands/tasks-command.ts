import type { TaskDetails, TaskSummary } from '@trawl/sdk'
import { type Command, Option } from 'commander'
import { taskStatuses } from '../client/api-choices.ts'
import { onService } from '../client/on-service.ts'
import { openService } from '../client/service-client.ts'
import { idArgument } from './arguments.ts'
import { addListCommand } from './list-command.ts'
import { addTailTasksCommand } from './tail-tasks.ts'
import { addWaitCommand } from './wait-command.ts'

interface TaskFlags {
  status?: string
  url?: string
  host?: string
  code?: string
  job?: string
  since?: string
  until?: string
}

export function addTasksCommand(program: Command): void {
  const tasks = program.command('tasks').description('search, repeat, cancel and watch tasks')
  addListCommand<TaskSummary, TaskFlags>(tasks, {
    about: 'search tasks of every kind, newest first',
    field: 'tasks',
    configure: withTaskFilters,
    request: (_args, { since, until, status, url, host, code, job }) => ({
      path: '/v1/tasks',
      query: { status, url, host, code, job, start_date: since, end_date: until },
    }),
    row: ({ id, status, kind, http_status: http, error, created_at, url }) => {
      return { id, status, kind, http, error: error?.code, created_at, url }
    },
  })
  const onTask = (verb: string, about: string, argument = 'the task') =>
    tasks.command(verb).addArgument(idArgument('task_id', argument)).description(about)
  onService(
    onTask('get', 'show a task with its attempts and deliveries'),
    ([id]) => ({ method: 'GET', path: `/v1/tasks/${id}` }),
    { show: shownDetails },
  )
  onService<[id: string], { callback: boolean }>(
    onTask(
      'retry',
      'run the request of a task again, as a new task',
      'a task that has ended',
    ).option('--no-callback', 'do not call back; the result is only kept'),
    ([id], { callback }) => ({
      method: 'POST',
      path: `/v1/tasks/${id}/retry`,
      body: { callback },
    }),
  )
  onService(
    onTask('cancel', 'cancel a task', 'a task that has not ended'),
    ([id]) => ({ method: 'DELETE', path: `/v1/tasks/${id}` }),
    { show: shownDetails },
  )
  addWaitCommand<TaskDetails, object>(tasks, {
    argument: idArgument('task_id', 'the task'),
    about: 'wait for the end of a task; exit code 1 unless it is completed',
    find: (id, flags, signal) => openService(flags).tasks.get(id, { maxRetries: 0, signal }),
    look: (trawl, id, options) => trawl.tasks.get(id, options),
    show: ({ id, kind, status }) => ({ id, kind, status }),
    isGood: ({ status }) => status === 'completed',
  })
  addTailTasksCommand(tasks)
}

const withTaskFilters = (command: Command): Command =>
  command
    .addOption(new Option('--status <status>', 'only with this status').choices(taskStatuses))
    .option('--url <part>', 'only URLs that contain this')
    .option('--host <host>', 'only URLs of this host, such as example.com')
    .option('--code <code>', 'only tasks that failed with this code, such as TARGET_TIMEOUT')
    .option('--job <job_id>', 'only pages of this batch, crawl or map')
    .option('--since <time>', 'only those created since: a day or a time, ISO 8601')
    .option('--until <time>', 'only those created until then')

/** The failure in words; what was asked for and the logs are left to `--json`. */
function shownDetails(task: TaskDetails): Record<string, unknown> {
  const { error, options: _options, attempt_log: _log, deliveries, ...fields } = task
  return {
    ...fields,
    error: error && `${error.code}: ${error.message}`,
    deliveries: deliveries.map(({ status }) => status).join(', ') || null,
  }
}

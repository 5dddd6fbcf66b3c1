import type { Job, PlainCall } from '@trawl/sdk'
import { type Command, Option } from 'commander'
import { jobKinds, taskStatuses } from '../client/api-choices.ts'
import { type CallFlags, printCurl, requestService, withCallOptions } from '../client/on-service.ts'
import { openService } from '../client/service-client.ts'
import type { ServiceFlags } from '../client/service-options.ts'
import { CommandFailure, exitCodes } from '../command-failure.ts'
import { explainError } from '../explain-error.ts'
import { indentJson, printJson, printResult } from '../output/print.ts'
import { idArgument } from './arguments.ts'
import { addListCommand } from './list-command.ts'
import { addWaitCommand } from './wait-command.ts'

type JobKind = Job['kind']

interface KindFlag {
  kind?: JobKind
}

interface JobListFlags extends KindFlag {
  status?: string
  url?: string
  since?: string
  until?: string
}

export function addJobsCommand(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('list, wait for and cancel batches, crawls and maps')
  addListCommand<Job, JobListFlags>(jobs, {
    about: 'list jobs of every kind, newest first',
    field: 'jobs',
    configure: withJobFilters,
    request: (_args, { kind, status, url, since, until }) => ({
      path: '/v1/jobs',
      query: { kind, status, url, start_date: since, end_date: until },
    }),
    row: ({ job_id, kind, status, counts, created_at, url }) => {
      const done = `${counts.completed + counts.failed}/${counts.total}`
      return { job_id, kind, status, done, failed: counts.failed, created_at, url }
    },
  })
  withCallOptions(jobs.command('get'))
    .addArgument(jobArgument())
    .description('show a job; --json has the first page of its results')
    .addOption(kindOption())
    .action(getJob)
  addWaitCommand<Job, KindFlag>(jobs, {
    argument: jobArgument(),
    about: 'wait for the end of a job; exit code 1 unless every page is completed',
    configure: (command) => command.addOption(kindOption()),
    help: ` For the pages of a batch or crawl:
trawl batch --resume JOB_ID, trawl crawl --resume JOB_ID.`,
    find: findJob,
    look: (trawl, id, options) => trawl.getJob(id, options),
    show: ({ job_id, kind, status, counts: { pending: _, ...counts } }) => ({
      job_id,
      kind,
      status,
      ...(kind !== 'map' && counts),
    }),
    progress: ({ kind, counts }) => [kind.replace(/^./, (letter) => letter.toUpperCase()), counts],
    isGood: ({ status, counts }) => status === 'completed' && counts.completed === counts.total,
  })
  withCallOptions(jobs.command('cancel'))
    .addArgument(jobArgument())
    .description('cancel a batch or crawl: nothing new starts, what runs ends')
    .addOption(kindOption())
    .action(cancelJob)
}

const jobArgument = () => idArgument('job_id', 'the job')

const kindOption = (): Option =>
  new Option('--kind <kind>', 'its kind; asked of the service by default').choices(jobKinds)

const withJobFilters = (command: Command): Command =>
  command
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(jobKinds))
    .addOption(new Option('--status <status>', 'only with this status').choices(taskStatuses))
    .option('--url <part>', 'only URLs that contain this')
    .option('--since <time>', 'only those created since: a day or a time, ISO 8601')
    .option('--until <time>', 'only those created until then')

async function getJob(id: string, flags: CallFlags & KindFlag): Promise<void> {
  const { kind } = flags
  const request = (path: string): PlainCall => ({ method: 'GET', path })
  if (flags.printCurl) return await printCurl(request(`/v1/${kind ?? 'jobs'}/${id}`), flags)
  if (flags.json) {
    const path = kind ? `/v1/${kind}/${id}` : (await findJob(id, flags)).status_url
    const json = await (await requestService(request(path), flags)).text()
    return await printJson(indentJson(json), flags)
  }
  const { counts, ...job } = await findJob(id, flags)
  await printResult({ ...job, ...counts }, flags)
}

async function cancelJob(id: string, flags: CallFlags & KindFlag): Promise<void> {
  if (flags.printCurl && !flags.kind) {
    throw new CommandFailure('badUsage', '--print-curl needs --kind, which the path depends on.')
  }
  const kind = flags.kind ?? (await findJob(id, flags)).kind
  if (kind === 'map') {
    throw new CommandFailure('failed', 'A map cannot be cancelled; it ends within a minute.')
  }
  const request: PlainCall = { method: 'DELETE', path: `/v1/${kind}/${id}` }
  if (flags.printCurl) return await printCurl(request, flags)
  const json = await (await requestService(request, flags)).text()
  if (flags.json) return await printJson(indentJson(json), flags)
  const { job_id = id, status } = JSON.parse(json) as Record<string, unknown>
  await printResult({ kind, job_id, status }, flags)
}

/** A job by its id, once: its user sees the error and decides. */
async function findJob(
  id: string,
  { kind, ...flags }: ServiceFlags & KindFlag,
  signal?: AbortSignal,
): Promise<Job> {
  const options = { maxRetries: 0, signal }
  const job = await openService(flags)
    .getJob(id, options)
    .catch((error: unknown) => {
      const { message, exitCode } = explainError(error)
      if (exitCode !== exitCodes.notFound) throw error
      const advice = `An extraction is a task: npx trawl tasks get ${id}`
      throw new CommandFailure('notFound', `${message}\n${advice}`)
    })
  if (kind === undefined || job.kind === kind) return job
  throw new CommandFailure('notFound', `NOT_FOUND: This job is a ${job.kind}, not a ${kind}.`)
}

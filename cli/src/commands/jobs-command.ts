import type { PlainCall } from '@trawl/sdk'
import { type Command, Option } from 'commander'
import { taskStatuses } from '../client/api-choices.ts'
import {
  hasPages,
  type JobKindName,
  jobKindNames,
  pageWithoutResults,
} from '../client/job-client.ts'
import { type CallFlags, printCurl, requestService, withCallOptions } from '../client/on-service.ts'
import type { ServiceFlags } from '../client/service-options.ts'
import { CommandFailure } from '../command-failure.ts'
import { indentJson } from '../output/indent-json.ts'
import { printJson, printResult } from '../output/print-result.ts'
import { idArgument } from './id-argument.ts'
import { addListJobsCommand } from './list-jobs.ts'
import { addWaitForJobCommand } from './wait-for-job.ts'

interface JobCallFlags extends CallFlags {
  kind?: JobKindName
}

export function addJobsCommand(program: Command): void {
  const jobs = program
    .command('jobs')
    .description('list, wait for and cancel batches, crawls, maps and extractions')
  addListJobsCommand(jobs, { kindOption, statuses: taskStatuses })
  withCallOptions(jobs.command('get'))
    .addArgument(jobArgument())
    .description('show a job; --json has the first page of its results')
    .addOption(kindOption())
    .action(getJob)
  addWaitForJobCommand(jobs, { kindOption, jobArgument, findKind })
  withCallOptions(jobs.command('cancel'))
    .addArgument(jobArgument())
    .description('cancel a batch, crawl or extraction: nothing new starts, what runs ends')
    .addOption(kindOption())
    .action(cancelJob)
}

const jobArgument = () => idArgument('job_id', 'the job')

const kindOption = (): Option =>
  new Option('--kind <kind>', 'its kind; asked of the service by default').choices(jobKindNames)

async function getJob(id: string, flags: JobCallFlags): Promise<void> {
  const request = (kind: JobKindName): PlainCall => ({
    method: 'GET',
    path: `/v1/${kind}/${id}`,
    // A table has no room for results.
    ...(hasPages(kind) && !flags.json && { query: { page: pageWithoutResults, page_size: 1 } }),
  })
  if (flags.printCurl) return await printCurl(request(requireKind(flags)), flags)
  const { kind, response } = await firstFound(kindsFor(flags), (one) =>
    requestService(request(one), flags),
  )
  const json = await response.text()
  if (flags.json) return await printJson(indentJson(json), flags)
  await printResult({ kind, ...withoutContent(JSON.parse(json)) }, flags)
}

/** What a table can show of a job. */
function withoutContent(job: Record<string, unknown>): Record<string, unknown> {
  const content = new Set(['results', 'links', 'data', 'metadata', 'batch_config', 'crawl_config'])
  return Object.fromEntries(Object.entries(job).filter(([name]) => !content.has(name)))
}

async function cancelJob(id: string, flags: JobCallFlags): Promise<void> {
  const request = (kind: JobKindName): PlainCall => {
    if (kind === 'map') {
      throw new CommandFailure('CONFLICT', 'A map cannot be cancelled; it ends within a minute.')
    }
    const path = kind === 'extract' ? '/v1/tasks' : `/v1/${kind}`
    return { method: 'DELETE', path: `${path}/${id}` }
  }
  if (flags.printCurl) return await printCurl(request(requireKind(flags)), flags)
  const kind = flags.kind ?? (await findKind(id, flags))
  const json = await (await requestService(request(kind), flags)).text()
  if (flags.json) return await printJson(indentJson(json), flags)
  const { job_id = id, status } = JSON.parse(json) as Record<string, unknown>
  await printResult({ kind, job_id, status }, flags)
}

/** An id does not show of which kind its job is, so each is asked for. */
async function findKind(
  id: string,
  flags: ServiceFlags,
  signal?: AbortSignal,
): Promise<JobKindName> {
  const { kind, response } = await firstFound(jobKindNames, (one) => {
    const query = hasPages(one) ? { page: pageWithoutResults, page_size: 1 } : {}
    const request: PlainCall = { method: 'GET', path: `/v1/${one}/${id}`, query }
    return requestService(request, flags, signal ? { signal } : {})
  })
  await response.body?.cancel()
  return kind
}

async function firstFound(
  kinds: readonly JobKindName[],
  ask: (kind: JobKindName) => Promise<Response>,
): Promise<{ kind: JobKindName; response: Response }> {
  let failure: unknown
  for (const kind of kinds) {
    try {
      return { kind, response: await ask(kind) }
    } catch (error) {
      if (!(error instanceof CommandFailure && error.code === 'NOT_FOUND')) throw error
      failure = error
    }
  }
  throw failure
}

const kindsFor = ({ kind }: JobCallFlags): readonly JobKindName[] => (kind ? [kind] : jobKindNames)

function requireKind({ kind }: JobCallFlags): JobKindName {
  if (kind) return kind
  throw new CommandFailure(
    'VALIDATION_ERROR',
    '--print-curl needs --kind, which the path depends on.',
  )
}

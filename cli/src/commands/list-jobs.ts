import type { PlainCall } from '@trawl/sdk'
import { type Command, Option } from 'commander'
import { type JobKindName, jobKindNames } from '../client/job-client.ts'
import { type CallFlags, printCurl, requestService, withCallOptions } from '../client/on-service.ts'
import { CommandFailure } from '../command-failure.ts'
import { say } from '../output/messages.ts'
import { printResult } from '../output/print-result.ts'
import { openStdoutLines } from '../output/stdout-lines.ts'
import { pageSizeDefault, withPageFlags } from './list-command.ts'

interface JobListFlags extends CallFlags {
  kind?: JobKindName
  status?: string
  since?: string
  until?: string
  page?: number
  pageSize?: number
  stream?: true
}

type ListedJob = Record<string, unknown> & { job_id: string; status: string; created_at: string }

interface JobPage {
  kind: JobKindName
  jobs: ListedJob[]
  page: number
  page_count: number
}

export function addListJobsCommand(
  jobs: Command,
  { kindOption, statuses }: { kindOption: () => Option; statuses: readonly string[] },
): void {
  withPageFlags(withCallOptions(jobs.command('list').alias('ls')))
    .description('list jobs of every kind, newest first')
    .addOption(kindOption())
    .addOption(new Option('--status <status>', 'only with this status').choices(statuses))
    .option('--since <time>', 'only those created since: a day or a time, ISO 8601')
    .option('--until <time>', 'only those created until then')
    .option('--stream', 'NDJSON instead of one document')
    .action(listJobs)
}

async function listJobs(flags: JobListFlags): Promise<void> {
  const { kind, page, pageSize = pageSizeDefault } = flags
  if (kind === undefined && (page !== undefined || flags.printCurl)) {
    throw new CommandFailure(
      'VALIDATION_ERROR',
      '--page and --print-curl need --kind: each has a list.',
    )
  }
  if (kind && flags.printCurl) return await printCurl(listRequest(kind, flags), flags)
  const pages = await Promise.all((kind ? [kind] : jobKindNames).map((one) => readPage(one, flags)))
  const found = pages
    .flatMap((one) => one.jobs.map((job) => ({ kind: one.kind, ...job })))
    .sort((one, other) => other.created_at.localeCompare(one.created_at))
    .slice(0, pageSize)
  if (flags.stream) return await printLines(found)
  await printResult(flags.json ? found : found.map(toRow), flags)
  const [only] = pages
  if (kind && only && only.page_count > 1) say(`Page ${only.page} of ${only.page_count}.`)
}

const listRequest = (kind: JobKindName, flags: JobListFlags): PlainCall => ({
  method: 'GET',
  path: `/v1/${kind}/jobs`,
  query: {
    status: flags.status,
    start_date: flags.since,
    end_date: flags.until,
    page: flags.page ?? 1,
    page_size: flags.pageSize ?? pageSizeDefault,
  },
})

async function readPage(kind: JobKindName, flags: JobListFlags): Promise<JobPage> {
  const response = await requestService(listRequest(kind, flags), flags)
  return { kind, ...((await response.json()) as Omit<JobPage, 'kind'>) }
}

async function printLines(found: readonly object[]): Promise<void> {
  using lines = openStdoutLines()
  for (const job of found) await lines.write(JSON.stringify(job))
}

function toRow(job: ListedJob & { kind: JobKindName }): Record<string, unknown> {
  const [completed, failed, total] = [
    job['completed_urls'] ?? job['completed_pages'],
    job['failed_urls'] ?? job['failed_pages'],
    job['accepted_urls'] ?? job['total_pages'],
  ]
  return {
    job_id: job.job_id,
    kind: job.kind,
    status: job.status,
    done: total === undefined ? null : `${Number(completed) + Number(failed)}/${total}`,
    failed,
    created_at: job.created_at,
    url: job['url'],
  }
}

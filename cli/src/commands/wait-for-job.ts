import type { Argument, Command, Option } from 'commander'
import {
  createJobClient,
  type FollowedJob,
  hasPages,
  type JobKindName,
} from '../client/job-client.ts'
import { openService } from '../client/service-client.ts'
import { ServiceTimedOut } from '../client/service-errors.ts'
import { type ServiceFlags, withServiceOptions } from '../client/service-options.ts'
import { watchSignals } from '../interruption.ts'
import { isQuiet, say } from '../output/messages.ts'
import { withOutputOptions } from '../output/output-options.ts'
import { type PrintFlags, printResult } from '../output/print-result.ts'
import { startProgressBar } from '../output/progress-bar.ts'
import { wholeNumber } from './whole-number.ts'

interface WaitFlags extends ServiceFlags, PrintFlags {
  kind?: JobKindName
  timeout?: number
}

type FindKind = (id: string, flags: ServiceFlags, signal: AbortSignal) => Promise<JobKindName>

const secondsMax = 7 * 24 * 3600

export function addWaitForJobCommand(
  jobs: Command,
  parts: {
    kindOption: () => Option
    jobArgument: () => Argument
    findKind: FindKind
  },
): void {
  withOutputOptions(withServiceOptions(jobs.command('wait')))
    .addArgument(parts.jobArgument())
    .description('wait for the end of a job; exit code 1 unless every page is completed')
    .addOption(parts.kindOption())
    .option('--timeout <seconds>', 'how long to wait; then exit code 7', wholeNumber(1, secondsMax))
    .addHelpText(
      'after',
      `
Ctrl-C ends only the command; run it again to go on. For the pages of a batch or crawl:
trawl batch --resume JOB_ID, trawl crawl --resume JOB_ID.`,
    )
    .action((id: string, flags: WaitFlags) => waitForJob(id, flags, parts.findKind))
}

async function waitForJob(id: string, flags: WaitFlags, findKind: FindKind): Promise<void> {
  using signals = watchSignals({
    seconds: flags.timeout,
    late: () => new ServiceTimedOut(`The job did not end within ${flags.timeout} s.`),
  })
  const { signal } = signals
  const follow = async () => {
    const kind = flags.kind ?? (await findKind(id, flags, signal))
    return { kind, job: await untilEnded(kind, id, flags, signal) }
  }
  const { kind, job } = await follow().catch((error: unknown) => {
    if (signal.aborted) say(`It goes on. To wait again: npx trawl jobs wait ${id}`)
    throw error
  })
  const { status, counts } = job
  await printResult({ job_id: id, kind, status, ...(hasPages(kind) && counts) }, flags)
  if (status !== 'completed' || counts.completed < counts.total) process.exitCode = 1
}

async function untilEnded(
  kind: JobKindName,
  id: string,
  flags: WaitFlags,
  signal: AbortSignal,
): Promise<FollowedJob> {
  const client = createJobClient(kind, openService(flags), signal)
  const what = kind.replace(/^./, (letter) => letter.toUpperCase())
  using bar = startProgressBar(process.stderr, { isHidden: isQuiet() })
  return await client.untilEnded(id, ({ counts }) => bar.show(what, counts))
}

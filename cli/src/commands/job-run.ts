import type { Job, ResultKind } from '@trawl/sdk'
import { createJobClient, type EarlierJob, type JobClient } from '../client/job-client.ts'
import { openService } from '../client/service-client.ts'
import { ServiceTimedOut } from '../client/service-errors.ts'
import { CommandFailure } from '../command-failure.ts'
import { shellWord } from '../curl/curl-command.ts'
import { Interrupted, Terminated, watchSignals } from '../interruption.ts'
import { isQuiet, say } from '../output/messages.ts'
import { outcomeWords, type ProgressBar, startProgressBar } from '../output/progress.ts'
import { counted } from '../output/table.ts'
import { printable } from '../output/terminal-text.ts'
import { ReaderGone } from '../output/write-output.ts'
import type { JobFlags } from './job-options.ts'
import { type ResultSink, stdoutSink } from './job-results-sink.ts'
import { type PageFormat, pageFormats } from './page-options.ts'
import { openResultFolder } from './result-folder.ts'

/** Jobs of one kind that a command follows, one after another. */
export interface JobRun {
  readonly client: JobClient
  /** Aborts when the command should end. */
  readonly signal: AbortSignal
  /**
   * Waits for the end of a job and writes its results. `indexOffset` is the place of its first URL in the
   * whole list; `resumeWords` are what the command needs besides the id to go on after this job; `formats`
   * are what an earlier job was started with.
   */
  follow(id: string, options?: FollowOptions): Promise<void>
  /** Writes URLs that the service did not take as failed results. */
  refuse(jobId: string | null, urls: readonly RefusedUrl[]): Promise<void>
}

interface FollowOptions extends Partial<Pick<EarlierJob, 'formats'>> {
  indexOffset?: number
  resumeWords?: string[]
}

export interface RefusedUrl {
  url: string
  /** Its place in the list; null where the list is not at hand. */
  index: number | null
}

interface RunTotals {
  jobs: string[]
  total: number
  completed: number
  failed: number
  cancelled: number
}

/** Runs a command's jobs, then reports and sets the exit code. */
export async function runJobs(
  kind: ResultKind,
  flags: JobFlags,
  act: (run: JobRun) => Promise<void>,
): Promise<void> {
  const startedAtMs = performance.now()
  const totals: RunTotals = { jobs: [], total: 0, completed: 0, failed: 0, cancelled: 0 }
  using signals = watchSignals({
    seconds: flags.timeout,
    late: () => new ServiceTimedOut(`The ${kind} did not end within ${flags.timeout} s.`),
  })
  const { signal } = signals
  const client = createJobClient(kind, openService(flags), signal)
  await using sink = await openSink(flags)
  using bar = startProgressBar(process.stderr, { isHidden: isQuiet() })

  try {
    await act(createRun({ kind, flags, client, sink, bar, totals, signal }))
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error
  }
  bar.clear()
  report(totals, flags, performance.now() - startedAtMs)
}

const openSink = async ({ out, resume }: JobFlags): Promise<ResultSink> =>
  out === undefined ? stdoutSink() : await openResultFolder(out, { resumedId: resume })

interface RunParts {
  kind: ResultKind
  flags: JobFlags
  client: JobClient
  sink: ResultSink
  bar: ProgressBar
  totals: RunTotals
  signal: AbortSignal
}

function createRun(parts: RunParts): JobRun {
  const { kind, flags, client, sink, bar, totals, signal } = parts
  const what = kind === 'batch' ? 'Batch' : 'Crawl'

  return {
    client,
    signal,
    async follow(id, { indexOffset = 0, resumeWords = [], formats = [] } = {}) {
      totals.jobs.push(id)
      try {
        signal.throwIfAborted()
        const job = await client.untilEnded(id, ({ counts }) => bar.show(what, counts))
        totals.total += job.counts.total
        totals.completed += job.counts.completed
        totals.failed += job.counts.failed
        totals.cancelled += job.counts.cancelled
        await writeResults(job, indexOffset, flags.format ?? formatOf(formats))
      } catch (error) {
        bar.clear()
        await leave(error, id, resumeWords)
        throw error
      }
    },
    async refuse(jobId, urls) {
      totals.total += urls.length
      totals.failed += urls.length
      for (const { url, index } of urls) await write(jobId, refusedResult(url, index))
    },
  }

  async function writeResults(job: Job, indexOffset: number, format: PageFormat): Promise<void> {
    let written = 0
    for await (const line of client.results(job)) {
      // The results may go to the same terminal as the bar.
      if (flags.out === undefined) bar.clear()
      else if (written % writtenPerDrawing === 0) {
        bar.show('Writing', { ...noPages, total: job.counts.total, completed: written })
      }
      await write(job.job_id, withIndexOffset(line, indexOffset), format)
      written += 1
      signal.throwIfAborted()
    }
  }

  async function write(jobId: string | null, json: string, format: PageFormat = 'markdown') {
    await sink.write({ jobId, json, item: JSON.parse(json), format })
  }

  /** Says what becomes of a job that the command no longer waits for. */
  async function leave(error: unknown, id: string, resumeWords: string[]): Promise<void> {
    if (error instanceof ReaderGone || isUnknownJob(error)) return
    const isSignal = error instanceof Interrupted || error instanceof Terminated
    const isCancelled = isSignal && flags.cancelOnInterrupt === true
    if (isCancelled) await client.cancel(id)
    const fate = isCancelled ? 'is cancelled. For what it has' : 'stays with the service. To go on'
    console.error(`The ${kind} ${id} ${fate}:`)
    console.error(`  ${resumeCommand(kind, flags, isCancelled ? [] : resumeWords, id)}`)
  }
}

const isUnknownJob = (error: unknown): boolean =>
  error instanceof CommandFailure && ['NOT_FOUND', 'UNAUTHORIZED', 'FORBIDDEN'].includes(error.code)

const writtenPerDrawing = 20
const noPages = { completed: 0, failed: 0, cancelled: 0 }

const refusedResult = (url: string, index: number | null): string =>
  JSON.stringify({
    input_index: index,
    url,
    status: 'failed',
    error_code: 'INVALID_URL',
    error_message: 'It is not an absolute http or https URL that the service may fetch.',
    error_reason: 'VALIDATION_ERROR',
    task_id: null,
    data: null,
    metadata: null,
  })

/** A result counts in its batch; the list may have had others before. */
const withIndexOffset = (json: string, offset: number): string =>
  offset === 0
    ? json
    : json.replace(
        /^\{"input_index":(\d+)/,
        (_, index: string) => `{"input_index":${Number(index) + offset}`,
      )

/** What a resumed job was started with. */
const formatOf = (formats: readonly string[]): PageFormat =>
  pageFormats.find((format) => formats.length === 1 && format === formats[0]) ??
  (formats.length > 1 ? 'json' : 'markdown')

/** The command line that goes on with a job, or with the rest of a list, ready for a shell. */
export function resumeCommand(
  kind: ResultKind,
  { server, dataDir, out, format }: JobFlags,
  moreWords: readonly string[],
  id?: string,
): string {
  const words = [
    ...['npx', 'trawl', kind, ...moreWords],
    ...(id === undefined ? [] : ['--resume', id]),
    ...(out === undefined ? [] : ['--out', out]),
    ...(format === undefined ? [] : ['--format', format]),
    ...(server === undefined ? [] : ['--server', server]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ]
  return printable(words.map(shellWord).join(' '))
}

function report(totals: RunTotals, { out, json }: JobFlags, elapsedMs: number): void {
  const { total, completed } = totals
  const seconds = (elapsedMs / 1000).toFixed(1)
  const place = out === undefined ? '' : `, ${printable(out)}`
  say(`${counted(total, 'page')}: ${outcomeWords(totals)} in ${seconds} s${place}`)
  if (json) console.log(JSON.stringify(totals))
  if (completed < total) process.exitCode = 1
}

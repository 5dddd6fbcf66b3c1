import { type CallOptions, ConflictError, type Job, type ResultKind, type Trawl } from '@trawl/sdk'
import { openService, patient } from '../client/service-client.ts'
import { exitCodes } from '../command-failure.ts'
import { shellWord } from '../curl/curl-command.ts'
import { explainError } from '../explain-error.ts'
import { Interrupted, watchSignals } from '../interruption.ts'
import { isQuiet, say } from '../output/messages.ts'
import { outcomeWords, type ProgressBar, startProgressBar } from '../output/progress.ts'
import { counted } from '../output/table.ts'
import { printable } from '../output/terminal-text.ts'
import { ReaderGone } from '../output/write-output.ts'
import { isId } from './arguments.ts'
import type { JobFlags } from './job-options.ts'
import { type PageFormat, pageFormats } from './page-options.ts'
import { openResultFolder, type ResultSink, stdoutSink } from './result-sinks.ts'

interface FollowOptions {
  /** What an earlier job was started with. */
  formats?: readonly string[]
  /** The place of its first URL in the whole list. */
  indexOffset?: number
  /** What the command needs besides the id to go on after this job. */
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
    late: `The ${kind} did not end within ${flags.timeout} s.`,
  })
  const { signal } = signals
  const trawl = openService(flags, patient)
  await using sink = await openSink(flags)
  using bar = startProgressBar(process.stderr, { isHidden: isQuiet() })

  try {
    await act(createRun({ kind, flags, trawl, sink, bar, totals, signal }))
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
  trawl: Trawl
  sink: ResultSink
  bar: ProgressBar
  totals: RunTotals
  signal: AbortSignal
}

/** Jobs of one kind that a command follows, one after another. */
export type JobRun = ReturnType<typeof createRun>

function createRun({ kind, flags, trawl, sink, bar, totals, signal }: RunParts) {
  return { trawl, signal, start, follow, refuse }

  /** Starts a job with options for the call. No signal ends it: an accepted job needs its id to be followed. */
  async function start<Accepted extends { job_id: string }>(
    call: (options: CallOptions) => Promise<Accepted>,
  ): Promise<Accepted> {
    signal.throwIfAborted()
    const accepted = await call(impatient)
    if (!isId(accepted.job_id)) throw new Error('The service did not name the job.')
    return accepted
  }

  /** Waits for the end of a job and writes its results. */
  async function follow(id: string, options: FollowOptions = {}): Promise<void> {
    const { indexOffset = 0, resumeWords = [], formats = [] } = options
    totals.jobs.push(id)
    try {
      signal.throwIfAborted()
      const what = kind === 'batch' ? 'Batch' : 'Crawl'
      const onProgress = ({ counts }: Job) => bar.show(what, counts)
      const job = await trawl.waitForJob(id, { signal, timeout: Infinity, onProgress })
      for (const name of ['total', 'completed', 'failed', 'cancelled'] as const) {
        totals[name] += job.counts[name]
      }
      await writeResults(job, indexOffset, flags.format ?? formatOf(formats))
    } catch (error) {
      bar.clear()
      await leave(error, id, resumeWords)
      throw error
    }
  }

  /** Writes URLs that the service did not take as failed results. */
  async function refuse(jobId: string | null, urls: readonly RefusedUrl[]): Promise<void> {
    totals.total += urls.length
    totals.failed += urls.length
    for (const { url, index } of urls) await write(jobId, refusedResult(url, index))
  }

  async function writeResults(job: Job, indexOffset: number, format: PageFormat): Promise<void> {
    let written = 0
    const { total } = job.counts
    for await (const line of trawl.resultLines(kind, job.job_id, { total, signal })) {
      // The results may go to the same terminal as the bar.
      if (flags.out === undefined) bar.clear()
      else if (written % writtenPerDrawing === 0) {
        bar.show('Writing', { ...noPages, total, completed: written })
      }
      await write(job.job_id, withIndexOffset(line, indexOffset), format)
      written += 1
      signal.throwIfAborted()
    }
  }

  async function write(jobId: string | null, json: string, format: PageFormat = 'markdown') {
    await sink.write({ jobId, json, item: JSON.parse(json), format })
  }

  async function cancel(id: string): Promise<void> {
    try {
      if (kind === 'batch') await trawl.cancelBatch(id, impatient)
      else await trawl.cancelCrawl(id, impatient)
    } catch (error) {
      // It has ended in the meantime.
      if (!(error instanceof ConflictError)) throw error
    }
  }

  /** Says what becomes of a job that the command no longer waits for. */
  async function leave(error: unknown, id: string, resumeWords: string[]): Promise<void> {
    if (error instanceof ReaderGone || isUnknownJob(error)) return
    const isCancelled = error instanceof Interrupted && flags.cancelOnInterrupt === true
    if (isCancelled) await cancel(id)
    const fate = isCancelled ? 'is cancelled. For what it has' : 'stays with the service. To go on'
    console.error(`The ${kind} ${id} ${fate}:`)
    console.error(`  ${resumeCommand(kind, flags, isCancelled ? [] : resumeWords, id)}`)
  }
}

/** What an earlier job is asked for: how it was started. */
export const withoutPages = { page_size: 1, contents: 'none' } as const

/** Starting and cancelling do not wait for a service that has gone. */
const impatient = { maxRetries: 2, timeout: 60_000 }

const isUnknownJob = (error: unknown): boolean =>
  [exitCodes.notFound, exitCodes.notAuthorised].some((one) => one === explainError(error).exitCode)

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

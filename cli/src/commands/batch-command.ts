import { type BatchRequest, ValidationError } from '@trawl/sdk'
import type { Command } from 'commander'
import { printCurl } from '../client/on-service.ts'
import { fieldAt } from '../client/service-errors.ts'
import { CommandFailure } from '../command-failure.ts'
import { watchSignals } from '../interruption.ts'
import { say } from '../output/messages.ts'
import { counted } from '../output/table.ts'
import { wholeNumber } from './arguments.ts'
import { type JobFlags, jobHelp, requireOutForJson, withJobOptions } from './job-options.ts'
import { type JobRun, type RefusedUrl, resumeCommand, runJobs, withoutPages } from './job-run.ts'
import { pageFields } from './page-options.ts'
import { readUrlGroups, type UrlGroup } from './url-list.ts'

interface BatchFlags extends JobFlags {
  skip?: number
}

const listUrlsMax = 999_999_999

export function addBatchCommand(program: Command): void {
  withJobOptions(program.command('batch [file]'))
    .description('fetch a list of pages: one URL a line, # for comments, - for stdin')
    .option(
      '--skip <count>',
      'leave out the first URLs of the list, which earlier batches had',
      wholeNumber(0, listUrlsMax),
    )
    .addHelpText('after', jobHelp('batch'))
    .action(runBatches)
}

async function runBatches(file: string | undefined, flags: BatchFlags): Promise<void> {
  requireListOrJob(file, flags)
  if (flags.printCurl) return await printBatchCalls(file, flags)
  await runJobs('batch', flags, async (run) => {
    const skipped = flags.skip ?? 0
    if (flags.resume !== undefined) await resumeBatch(run, file, flags.resume, flags.skip)
    if (file === undefined) return

    let next = skipped
    for await (const group of readUrlGroups(file, { skipped, signal: run.signal })) {
      await runBatch(run, { file, flags, ...group, first: next })
      next += group.urls.length
    }
    if (next === 0) throw new CommandFailure('badUsage', `There is no URL in ${file}.`)
  })
}

/** A list of more URLs than a batch takes is several calls. */
async function printBatchCalls(file: string | undefined, flags: BatchFlags): Promise<void> {
  if (flags.resume !== undefined) {
    await printCurl({ method: 'GET', path: `/v1/batch/${flags.resume}` }, flags)
  }
  if (file === undefined) return
  using signals = watchSignals()
  const groups = readUrlGroups(file, { skipped: flags.skip ?? 0, signal: signals.signal })
  for await (const { urls } of groups) {
    await printCurl({ method: 'POST', path: '/v1/batch', body: batchBody(urls, flags) }, flags)
  }
}

function requireListOrJob(file: string | undefined, { resume, skip, ...flags }: BatchFlags): void {
  requireOutForJson(flags)
  const fault =
    file === undefined && resume === undefined
      ? 'Give a file of URLs, or - for stdin, or --resume JOB_ID.'
      : file !== undefined && resume !== undefined && skip === undefined
        ? 'A list beside --resume needs --skip: how many of its URLs have been submitted.'
        : undefined
  if (fault) throw new CommandFailure('badUsage', fault)
}

async function resumeBatch(
  run: JobRun,
  file: string | undefined,
  id: string,
  skip: number | undefined,
): Promise<void> {
  const batch = await run.trawl.getBatch(id, withoutPages, { signal: run.signal })
  const refused = batch.invalid_urls.map((url) => ({ url, index: null }))
  // The batch ends where the rest of the list begins.
  const indexOffset = Math.max((skip ?? 0) - batch.total_urls - refused.length, 0)
  const resumeWords = file === undefined ? [] : [file, '--skip', String(skip)]
  await run.follow(id, { indexOffset, resumeWords, formats: batch.batch_config.all_formats })
  await run.refuse(id, refused)
}

/** Runs one batch of the list; `first` is the place of its first URL. */
async function runBatch(
  run: JobRun,
  given: { file: string; flags: BatchFlags; first: number } & UrlGroup,
): Promise<void> {
  const { file, flags, urls, isLast, first } = given
  const starting = run.start((options) => run.trawl.startBatch(batchBody(urls, flags), options))
  const accepted = await starting.catch((error: unknown) => {
    if (isWithoutValidUrl(error)) return undefined
    if (first > 0) {
      console.error(`The first ${first} URLs of the list are done. To go on:`)
      console.error(`  ${resumeCommand('batch', flags, [file, '--skip', String(first)])}`)
    }
    throw error
  })
  if (!accepted) return await run.refuse(null, placesOf(urls, urls, first))

  const { job_id: id, invalid_urls: invalidUrls = [] } = accepted
  say(`Batch ${id}: ${counted(urls.length - invalidUrls.length, 'URL')}`)
  if (invalidUrls.length > 0) {
    say(`Not valid, counted as failed: ${counted(invalidUrls.length, 'URL')}`)
  }
  // A list from stdin has to be given once more to go on.
  const resumeWords = isLast ? [] : [file, '--skip', String(first + urls.length)]
  await run.follow(id, { indexOffset: first, resumeWords })
  await run.refuse(id, placesOf(invalidUrls, urls, first))
}

const batchBody = (urls: string[], flags: BatchFlags): BatchRequest => ({
  urls,
  ...pageFields(flags.format ?? 'markdown', { ...flags, timeout: flags.pageTimeout }),
})

/** Such a batch is refused; the list goes on all the same. */
const isWithoutValidUrl = (error: unknown): boolean =>
  error instanceof ValidationError &&
  error.detail.length > 0 &&
  error.detail.every(({ loc }) => /^urls\.\d+$/.test(fieldAt(loc)))

/** The places of some URLs, in order, in the whole list. */
function placesOf(some: readonly string[], urls: readonly string[], first: number) {
  const places: RefusedUrl[] = []
  for (const [index, url] of urls.entries()) {
    if (url === some[places.length]) places.push({ url, index: first + index })
  }
  return places
}

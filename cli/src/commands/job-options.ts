import { type Command, Option } from 'commander'
import { withPrintCurlOption } from '../client/on-service.ts'
import { type ServiceFlags, withServiceOptions } from '../client/service-options.ts'
import { CommandFailure } from '../command-failure.ts'
import { readId, wholeNumber } from './arguments.ts'
import { type PageFormat, pageFormats, readOptions } from './page-options.ts'

export interface JobFlags extends ServiceFlags {
  printCurl?: true
  format?: PageFormat
  render?: true
  options?: Record<string, unknown>
  pageTimeout?: number
  out?: string
  json?: true
  timeout?: number
  resume?: string
  cancelOnInterrupt?: true
}

const secondsMax = 7 * 24 * 3600

/** The options that `trawl batch` and `trawl crawl` share. */
export const withJobOptions = (command: Command): Command =>
  withPrintCurlOption(withServiceOptions(command))
    .addOption(
      new Option(
        '--format <format>',
        'what the pages become (default: markdown); json: all of it with metadata',
      ).choices(pageFormats),
    )
    .option('--render', "run the pages' JavaScript in a browser")
    .option('--options <json>', 'more options, as in `configurations`', readOptions)
    .option('--page-timeout <seconds>', 'how long one page may take', wholeNumber(1, 300))
    .option('--out <folder>', 'a file for each page and index.ndjson, instead of NDJSON on stdout')
    .option('--json', 'with --out: the counts as one JSON document on stdout')
    .option('--stream', 'without --out: the results as NDJSON, as by default')
    .option(
      '--timeout <seconds>',
      'how long to wait in all; then the job goes on without this command',
      wholeNumber(1, secondsMax),
    )
    .option('--resume <job_id>', 'wait for this job instead of starting one', readId)
    .option('--cancel-on-interrupt', 'Ctrl-C cancels the job; by default it goes on')

/** The help that both have at the end. */
export const jobHelp = (verb: string): string => `
Ctrl-C leaves the job running and prints how to go on: trawl ${verb} --resume JOB_ID.
With the same --out, only pages that are not yet in the folder are written.

Exit codes: 0 every page completed, 1 some failed or the job was cancelled, 2 bad usage,
3 not authorised, 4 no such job, 5 limited (429), 6 no service answers, 7 timed out (--timeout),
130 Ctrl-C, 143 terminated.`

export function requireOutForJson({ json, out }: Pick<JobFlags, 'json' | 'out'>): void {
  if (!json || out !== undefined) return
  throw new CommandFailure(
    'badUsage',
    '--json goes with --out; without it, stdout has the results, a JSON document a line.',
  )
}

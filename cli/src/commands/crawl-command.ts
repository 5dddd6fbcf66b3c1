import type { CrawlRequest, PlainCall } from '@trawl/sdk'
import type { Command } from 'commander'
import { printCurl } from '../client/on-service.ts'
import { CommandFailure } from '../command-failure.ts'
import { say } from '../output/messages.ts'
import { printable } from '../output/terminal-text.ts'
import { wholeNumber } from './arguments.ts'
import { type JobFlags, jobHelp, requireOutForJson, withJobOptions } from './job-options.ts'
import { runJobs, withoutPages } from './job-run.ts'
import { pageFields } from './page-options.ts'

interface CrawlFlags extends JobFlags {
  depth?: number
  limit?: number
  include?: string[]
  exclude?: string[]
  delay?: number
  sitemaps?: true
  robots: boolean
  subdomains?: true
  anyDomain?: true
}

export function addCrawlCommand(program: Command): void {
  withJobOptions(program.command('crawl [url]'))
    .description('fetch the pages of a site, link by link')
    .option('--depth <count>', 'how deep to follow links; 1 is the page itself', wholeNumber(1, 10))
    .option('--limit <count>', 'how many pages at most', wholeNumber(1, 10_000))
    .option('--include <glob>', 'only paths like this, such as /docs/*; repeatable', addTo)
    .option('--exclude <glob>', 'no paths like this; repeatable', addTo)
    .option('--delay <ms>', 'pause between two pages of a host', wholeNumber(0, 30_000))
    .option('--sitemaps', 'begin with the pages of sitemaps too')
    .option('--no-robots', 'do not obey robots.txt')
    .option('--subdomains', 'follow links to subdomains too')
    .option('--any-domain', 'follow links to other sites too')
    .addHelpText('after', jobHelp('crawl'))
    .action(runCrawl)
}

async function runCrawl(url: string | undefined, flags: CrawlFlags): Promise<void> {
  requireOutForJson(flags)
  if ((url === undefined) === (flags.resume === undefined)) {
    throw new CommandFailure('badUsage', 'Give a URL or --resume JOB_ID, one of the two.')
  }
  if (flags.printCurl) return await printCurl(crawlRequest(url, flags), flags)
  await runJobs('crawl', flags, async (run) => {
    if (url === undefined) {
      const { resume = '' } = flags
      const { crawl_config } = await run.trawl.getCrawl(resume, withoutPages, {
        signal: run.signal,
      })
      return await run.follow(resume, { formats: crawl_config.all_formats })
    }
    const { job_id } = await run.start((options) =>
      run.trawl.startCrawl(crawlBody(url, flags), options),
    )
    say(`Crawl ${job_id}: ${printable(url)}`)
    await run.follow(job_id)
  })
}

const crawlRequest = (url: string | undefined, flags: CrawlFlags): PlainCall =>
  url === undefined
    ? { method: 'GET', path: `/v1/crawl/${flags.resume}` }
    : { method: 'POST', path: '/v1/crawl', body: crawlBody(url, flags) }

const crawlBody = (url: string, flags: CrawlFlags): CrawlRequest => ({
  url,
  ...pageFields(flags.format ?? 'markdown', { ...flags, timeout: flags.pageTimeout }),
  ...(flags.depth !== undefined && { depth: flags.depth }),
  ...(flags.limit !== undefined && { limit: flags.limit }),
  ...(flags.include && { include_paths: flags.include }),
  ...(flags.exclude && { exclude_paths: flags.exclude }),
  ...(flags.delay !== undefined && { delay_ms: flags.delay }),
  ...(flags.sitemaps && { use_sitemaps: true }),
  ...(!flags.robots && { respect_robots: false }),
  ...(flags.subdomains && { include_subdomains: true }),
  ...(flags.anyDomain && { same_domain_only: false }),
})

const addTo = (glob: string, globs: string[] = []): string[] => [...globs, glob]

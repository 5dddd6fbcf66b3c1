import { countLinks } from '../storage/tables/jobs.ts'
import type { ReadJobOfTask } from '../tasks/job-of-task.ts'
import { type FrontierParts, readCrawlOfPage } from './crawl/frontier.ts'

/** What the tasks of a crawl or a map mean for it; those of a batch are only counted. */
export const jobOfTaskReader =
  (parts: FrontierParts): ReadJobOfTask =>
  async (task) => {
    if (task.request.purpose.kind === 'crawl') return await readCrawlOfPage(parts, task)
    return {
      pauseMs: 0,
      async endOfPage(page) {
        const counted = page?.siteLinks && task.job && countLinks(task.job.id, page.siteLinks.count)
        return { error: undefined, statements: counted ? [counted] : [] }
      },
    }
  }

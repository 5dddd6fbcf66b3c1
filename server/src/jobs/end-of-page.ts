import { countLinks } from '../storage/tables/jobs.ts'
import type { JobOfTask } from '../tasks/job-of-task.ts'
import { type FrontierParts, followLinks, pauseMsOfPage } from './crawl-frontier.ts'

/** What the tasks of a crawl or a map mean for it; those of a batch are only counted. */
export const createJobOfTask = (parts: FrontierParts): JobOfTask => ({
  async endOfPage(task, page) {
    if (task.request.purpose.kind === 'crawl') return followLinks(parts, task, page)
    const counted = page?.siteLinks && task.job && countLinks(task.job.id, page.siteLinks.count)
    return { error: undefined, statements: counted ? [counted] : [] }
  },
  pauseMsOf: (task) => pauseMsOfPage(parts, task),
})

import { countLinks } from '../storage/tables/jobs.ts'
import type { JobOfTask } from '../tasks/job-of-task.ts'
import { type FrontierParts, followLinks, pauseMsOfPage } from './crawl-frontier.ts'
import { linksCountOf } from './map-site.ts'

/** What the tasks of a crawl or a map mean for it; those of a batch are only counted. */
export const createJobOfTask = (parts: FrontierParts): JobOfTask => ({
  async endOfPage(task, page) {
    const { crawl, map } = task.request
    if (crawl) return followLinks(parts, task, page)
    const counted = map && page && task.job && countLinks(task.job.id, linksCountOf(page.headers))
    return { error: undefined, statements: counted ? [counted] : [] }
  },
  pauseMsOf: (task) => pauseMsOfPage(parts, task),
})

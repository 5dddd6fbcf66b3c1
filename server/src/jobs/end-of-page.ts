import type { Task } from '../domain/task/task.ts'
import { countLinks } from '../storage/jobs-table.ts'
import {
  type EndOfPage,
  type FrontierParts,
  followLinks,
  type PageOfCrawl,
} from './crawl-frontier.ts'
import { linksCountOf } from './map-site.ts'

/** A task of a job that got a response, at the end of its redirects. */
interface PageOfJob extends PageOfCrawl {
  headers: Readonly<Record<string, string>>
}

/** `page` is undefined for a task that failed. */
export async function endOfPage(
  parts: FrontierParts,
  task: Task,
  page: PageOfJob | undefined,
): Promise<EndOfPage> {
  const { crawl, map } = task.request
  if (crawl) return followLinks(parts, task, page)
  const counted = map && page && task.job && countLinks(task.job.id, linksCountOf(page.headers))
  return { error: undefined, statements: counted ? [counted] : [] }
}

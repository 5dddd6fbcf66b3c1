import type { Page } from '../domain/scrape/page.ts'
import type { Task, TaskError } from '../domain/task/task.ts'
import type { Content } from '../formats/present.ts'
import type { Statement } from '../storage/statement.ts'

/** What tasks ask of the jobs that they belong to, which are a floor above. */
export interface JobOfTask {
  /** What the end of a job's task means for the job; `page` is undefined for one that failed. */
  endOfPage(task: Task, page: PageOfJob | undefined): Promise<EndOfPage>
  /** The least time until a page of a crawl may be tried again; 0 for a page of no crawl. */
  pauseMsOf(task: Task): Promise<number>
}

/** A task of a job that got a response, at the end of its redirects. */
export interface PageOfJob {
  url: string
  links: Content['links']
  siteLinks: Page['siteLinks']
}

export interface EndOfPage {
  /** Set where the page does not count as fetched. */
  error: TaskError | undefined
  /** To be written in the commit that ends the page. */
  statements: readonly Statement<unknown>[]
}

/** A job one of whose tasks has ended. */
interface JobWithEndedTask {
  id: string
  accountId: string
}

/** Reports each end of a job's task, after its commit, to what drives the jobs. */
export class EndedTasksOfJobs {
  #listener: ((job: JobWithEndedTask) => void) | undefined

  listen(listener: (job: JobWithEndedTask) => void): void {
    this.#listener = listener
  }

  report(job: JobWithEndedTask): void {
    this.#listener?.(job)
  }
}

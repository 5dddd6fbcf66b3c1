import type { Page } from '../domain/scrape/page.ts'
import type { Task, TaskError } from '../domain/task/task.ts'
import type { Content } from '../formats/present.ts'
import type { Statement } from '../storage/statement.ts'

/** Reads the job of a task, which is a floor above, once at the end of an attempt. */
export type ReadJobOfTask = (task: Task) => Promise<JobOfTask>

/** What the end of an attempt needs of the task's job. */
interface JobOfTask {
  /** The least time until a page of a crawl may be tried again; 0 for a page of no crawl. */
  readonly pauseMs: number
  /** What the end of the task means for the job; `page` is undefined for one that failed. */
  endOfPage(page: PageOfJob | undefined): Promise<EndOfPage>
}

/** A task of a job that got a response, at the end of its redirects. */
export interface PageOfJob {
  url: string
  links: Content['links']
  siteLinks: Page['siteLinks']
}

interface EndOfPage {
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

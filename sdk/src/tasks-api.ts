import { ApiFamily } from './api-family.ts'
import type { CallOptions, Query, StartOptions } from './transport.ts'

/** `/v1/tasks`: every task of the account, whatever started it. */
export class TasksApi extends ApiFamily {
  list(query?: Query<'GET /v1/tasks'>, options?: CallOptions) {
    return this.paged('GET /v1/tasks', { query, options }, ({ tasks }) => tasks)
  }

  get(task_id: string, options?: CallOptions) {
    return this.call('GET /v1/tasks/{task_id}', { path: { task_id }, options })
  }

  /** What the target answered: headers, cookies and the requests of the page, without the content. */
  getResponse(task_id: string, options?: CallOptions) {
    return this.call('GET /v1/tasks/{task_id}/response', { path: { task_id }, options })
  }

  /** What was scraped, as a page or an image to look at; show a page in a sandboxed frame only. */
  preview(
    task_id: string,
    query?: Query<'GET /v1/tasks/{task_id}/preview'>,
    options?: CallOptions,
  ): Promise<Blob> {
    const name = 'GET /v1/tasks/{task_id}/preview'
    const request = { path: { task_id }, query, options }
    return this.send(name, request, (response) => response.blob())
  }

  /** Runs a finished task once more, as a new task; `callback: false` posts nothing. */
  retry(task_id: string, body: { callback?: boolean } = {}, options?: StartOptions) {
    const name = 'POST /v1/tasks/{task_id}/retry'
    return this.call(name, { path: { task_id }, body, options, isKeyed: true })
  }

  cancel(task_id: string, options?: CallOptions) {
    return this.call('DELETE /v1/tasks/{task_id}', { path: { task_id }, options })
  }
}

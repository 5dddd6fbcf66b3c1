import { PagedList, turned } from './paged-list.ts'
import type { CallOptions, Query, StartOptions, Transport } from './transport.ts'

/** `/v1/tasks`: every task of the account, whatever started it. */
export class TasksApi {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list(query?: Query<'GET /v1/tasks'>, options?: CallOptions) {
    return new PagedList(
      (page) => this.#transport.call('GET /v1/tasks', { query: turned(query, page), options }),
      ({ tasks }) => tasks,
    )
  }

  get(task_id: string, options?: CallOptions) {
    return this.#transport.call('GET /v1/tasks/{task_id}', { path: { task_id }, options })
  }

  /** Runs a finished task once more, as a new task; `callback: false` posts nothing. */
  retry(task_id: string, body: { callback?: boolean } = {}, options?: StartOptions) {
    const name = 'POST /v1/tasks/{task_id}/retry'
    return this.#transport.call(name, { path: { task_id }, body, options, isKeyed: true })
  }

  cancel(task_id: string, options?: CallOptions) {
    return this.#transport.call('DELETE /v1/tasks/{task_id}', { path: { task_id }, options })
  }
}

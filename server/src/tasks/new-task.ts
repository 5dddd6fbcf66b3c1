import { forwardableHeaders } from '../domain/forwarded-headers.ts'
import type { Task } from '../domain/task/task.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import type { Database } from '../storage/database.ts'
import type { ProxyPool } from './proxies/proxy-pool.ts'

export function newTask(
  { db, proxies }: { db: Database; proxies: Pick<ProxyPool, 'isEmpty'> },
  given: Omit<Task, 'id' | 'createdAtMs'>,
): Task {
  const { request } = given
  // Headers that are not forwarded may be credentials, so they are not stored either.
  const forwardedHeaders = forwardableHeaders(request.forwardedHeaders)
  const proxied = proxies.isEmpty ? undefined : ({ isProxied: true } as const)
  return {
    id: sortableId(),
    createdAtMs: db.nowMs(),
    ...given,
    request: { ...request, forwardedHeaders, ...proxied },
  }
}

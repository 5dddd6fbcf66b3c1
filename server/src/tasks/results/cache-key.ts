import { cacheSubject, isCacheableStatus } from '../../domain/task/cache-subject.ts'
import type { Task } from '../../domain/task/task.ts'
import type { KeyedDigest } from '../../runtime/crypto/keyed-digest.ts'
import type { FinishedTask } from './finished-task.ts'

/** Under which later requests find the result; null for a result that must not answer them. */
export function cacheKeyOf(digest: KeyedDigest, { task, result }: FinishedTask): string | null {
  if (!result || !isCacheableStatus(result.page.statusCode)) return null
  return findCacheKey(digest, task) ?? null
}

/** The key of the task's request; undefined for one that is never answered from the cache. */
export function findCacheKey(digest: KeyedDigest, task: Task): string | undefined {
  const subject = cacheSubject(task)
  return subject === undefined ? undefined : digest(subject)
}

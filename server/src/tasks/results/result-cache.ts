import assert from 'node:assert/strict'
import type { Task, TaskProgress } from '../../domain/task/task.ts'
import type { KeyedDigest } from '../../runtime/crypto/keyed-digest.ts'
import type { Database } from '../../storage/database.ts'
import type { Statement } from '../../storage/statement.ts'
import { findCachedTask } from '../../storage/tables/tasks.ts'
import type { Settler } from '../settle.ts'
import { findCacheKey } from './cache-key.ts'

export interface ResultCacheParts {
  db: Database
  digest: KeyedDigest
  settler: Settler
  resultsKeptMs: number
}

/**
 * Answers a new task with a result that the account got for the same request at most `maxAgeMs` ago
 * (cache hit): the task is stored as completed and refers to the task that has the result, so that any
 * number of hits takes no more room. Undefined if there is none, or if `first`, statements for the same
 * transaction, do not hold.
 */
export async function completeFromCache(
  parts: ResultCacheParts,
  task: Task,
  { maxAgeMs, first }: { maxAgeMs: number; first: readonly Statement<unknown>[] },
): Promise<(Task & TaskProgress) | undefined> {
  const [hit] = await findCacheHits(parts, [task], maxAgeMs)
  return hit && (await parts.settler.completeAtOnce(hit, first)) ? hit : undefined
}

/** The tasks as they are once cached results have completed them; nothing is stored. In the order given. */
export async function findCacheHits(
  { db, digest, resultsKeptMs }: Omit<ResultCacheParts, 'settler'>,
  tasks: readonly Task[],
  maxAgeMs: number,
): Promise<((Task & TaskProgress) | undefined)[]> {
  if (maxAgeMs === 0) return []
  const asked = tasks.flatMap((task) => {
    const key = findCacheKey(digest, task)
    return key === undefined ? [] : [{ task, key }]
  })
  // The result has to be there for a while, for the event of the hit and for its readers.
  const agedMsMax = Math.min(maxAgeMs, resultsKeptMs * keptShareMax)
  const found = await db.transaction(
    asked.map(({ task: { accountId, createdAtMs }, key }) =>
      findCachedTask({ accountId, key, sinceMs: createdAtMs - agedMsMax }),
    ),
  )
  const sources = new Map(asked.map(({ task }, index) => [task, found[index]?.[0]]))
  return tasks.map((task) => {
    const sourceId = sources.get(task)
    return sourceId === undefined ? undefined : toHit(task, sourceId)
  })
}

const keptShareMax = 2 / 3

function toHit(task: Task, cachedFrom: string): Task & TaskProgress {
  const { request, createdAtMs } = task
  const { purpose } = request
  assert('extract' in purpose, 'Only extractions are answered from the cache.')
  const extract = { ...purpose.extract, cachedFrom }
  return {
    ...task,
    request: { ...request, purpose: { ...purpose, extract } },
    state: 'completed',
    attempts: 0,
    attemptLog: [],
    error: null,
    startedAtMs: createdAtMs,
    completedAtMs: createdAtMs,
  }
}

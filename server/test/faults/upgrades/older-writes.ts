/** What processes of earlier versions wrote when they accepted work, by the migration that came after them. */
import { sortableId } from '../../../src/runtime/sortable-id.ts'
import { type Statement, sql } from '../../../src/storage/statement.ts'

export interface OlderWrite {
  /** The task that it is about. */
  taskId: string
  /** One transaction. */
  statements: readonly Statement<unknown>[]
}

export type OlderVersion = 'queue_flows' | 'jobs'

/** `peerUrl` is both target and receiver. */
export const olderWrites: Record<OlderVersion, (peerUrl: string) => OlderWrite> = {
  queue_flows: (peerUrl) => {
    const id = sortableId()
    return {
      taskId: id,
      statements: [
        insertTask(id, { peerUrl, state: 'open' }),
        sql`
          insert into queue_entries
            (id, lane, work_id, account_id, state, position, fence, crashes)
          values (${id}, 'http', ${id}, ${accountId}, 'ready', 1, 0, 0)`,
      ],
    }
  },
  jobs: (peerUrl) => {
    const [id, deliveryId] = [sortableId(), sortableId()]
    return {
      taskId: id,
      statements: [
        insertTask(id, { peerUrl, state: 'failed' }),
        sql`
          insert into deliveries
            (id, account_id, task_id, state, attempts, schedule_step, next_attempt_at_ms,
             created_at_ms)
          values (${deliveryId}, ${accountId}, ${id}, 'pending', 0, 0, 1, 1)`,
        sql`
          insert into queue_entries
            (id, lane, work_id, account_id, flow, concurrency_key, state, fence, crashes)
          values (${deliveryId}, 'delivery', ${deliveryId}, ${accountId},
                  ${`${accountId}//${peerUrl}`}, ${peerUrl}, 'ready', 0, 0)`,
      ],
    }
  },
}

const accountId = 'ada'

export const insertOlderAccount = () => sql`
  insert into accounts (id, username, password_hash, created_at_ms)
  values (${accountId}, ${accountId}, '-', 1)`

/** In plain text, as the earliest version stored it, which is read as it is. */
function insertTask(
  id: string,
  { peerUrl, state }: { peerUrl: string; state: 'open' | 'failed' },
): Statement<never> {
  const hasFailed = state === 'failed'
  const request = { url: `${peerUrl}/page`, timeoutMs: 60_000, forwardedHeaders: {} }
  return sql<never>`
    insert into tasks
      (id, account_id, kind, url, callback_url, callback_on_failure, request, state, attempts,
       attempt_log, error_code, error_message, created_at_ms, completed_at_ms)
    values (${id}, ${accountId}, 'callback', ${request.url}, ${`${peerUrl}/${id}`}, 1,
            ${JSON.stringify(request)}, ${state}, 0, '[]', ${hasFailed ? 'TARGET_TIMEOUT' : null},
            ${hasFailed ? 'It was late.' : null}, 1, ${hasFailed ? 2 : null})`
}

/** Work that is due long after the test: copying it takes the migration some time. */
export const insertBacklog: Record<OlderVersion, (count: number) => Statement<never>> = {
  queue_flows: (count) => sql`
    insert into queue_entries
      (id, lane, work_id, account_id, state, position, due_at_ms, fence, crashes)
    ${numbered(count)}
    select 'late ' || number, 'http', 'none', ${accountId}, 'waiting', number, 9000000000000, 1, 0
    from numbers`,
  jobs: (count) => sql`
    insert into deliveries
      (id, account_id, task_id, state, attempts, schedule_step, created_at_ms, ended_at_ms)
    ${numbered(count)}
    select 'old ' || number, ${accountId}, (select min(id) from tasks), 'skipped', 0, 0, 1, 2
    from numbers`,
}

const numbered = (count: number) => sql`
  with recursive numbers (number) as (
    select 1 union all select number + 1 from numbers where number < cast(${count} as integer)
  )`

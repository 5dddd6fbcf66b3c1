import { sql } from '../statement.ts'

/** Counts one request for a rate limit. A fixed window begins with its first request. */
export const countRequest = (request: { name: string; nowMs: number; windowMs: number }) => {
  const oldestMs = request.nowMs - request.windowMs
  return sql<{ startedAtMs: number; requestCount: number }>`
    insert into rate_windows (name, started_at_ms, request_count)
    values (${request.name}, ${request.nowMs}, 1)
    on conflict (name) do update
    set request_count = case when rate_windows.started_at_ms > ${oldestMs}
                             then rate_windows.request_count + 1 else 1 end,
        started_at_ms = case when rate_windows.started_at_ms > ${oldestMs}
                             then rate_windows.started_at_ms else excluded.started_at_ms end
    returning started_at_ms as "startedAtMs", request_count as "requestCount"`
}

/** Which processes work on a lane. Each renews its row with a heartbeat; without one the row expires. */
import type { Lane } from '../../domain/task/lane.ts'
import { sql, sqlValue } from '../statement.ts'

/** One lane of a process, as its last heartbeat said. */
export interface LaneWorkerRow {
  processId: string
  lane: Lane
  slots: number
  untilMs: number
}

export const putLaneWorker = (worker: LaneWorkerRow) =>
  sql<never>`
    insert into lane_workers (process_id, lane, slots, until_ms)
    values (${worker.processId}, ${worker.lane}, ${worker.slots}, ${worker.untilMs})
    on conflict (process_id, lane) do update
    set slots = excluded.slots, until_ms = excluded.until_ms`

export const findOtherLaneWorker = (asked: { lane: Lane; processId: string; nowMs: number }) =>
  sql<{ process_id: string }>`
    select process_id from lane_workers
    where lane = ${asked.lane} and until_ms > ${asked.nowMs} and process_id <> ${asked.processId}
    limit 1`

export const listLaneWorkers = (nowMs: number) =>
  sql<LaneWorkerRow>`
    select process_id as "processId", lane, slots, until_ms as "untilMs" from lane_workers
    where until_ms > ${nowMs}`

/** How many tasks the processes that advertise their lanes can run at once. */
export const sumTaskSlots = (nowMs: number) =>
  sqlValue<number>`
    select coalesce(sum(slots), 0) from lane_workers
    where lane <> 'delivery' and until_ms > ${nowMs}`

export const forgetLaneWorkers = (untilBeforeMs: number) =>
  sql<never>`delete from lane_workers where until_ms < ${untilBeforeMs}`

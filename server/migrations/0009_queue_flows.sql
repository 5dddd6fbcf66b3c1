-- Fairness moves from a place in line, written with each entry, to flows that take turns: an account's single
-- tasks, each of its jobs and each of its destinations are a flow. An entry whose concurrency limit is reached
-- stays ready, since its flow is not asked until a slot is free: the state `parked` is gone.
--
-- The table is renamed before it is copied: that locks it on PostgreSQL, so that no entry of an older process that is still
-- running arrives between the copy and the drop, and its later inserts fail.
alter table queue_entries rename to queue_entries_by_position;

create table queue_entries_by_flow (
  id text primary key,
  lane text not null,
  work_id text not null,
  account_id text not null,
  flow text not null,
  concurrency_key text,
  state text not null,
  due_at_ms bigint,
  leased_by text,
  leased_until_ms bigint,
  fence integer not null,
  crashes integer not null,
  started_at_ms bigint,
  awaited_by text,
  awaited_until_ms bigint,
  constraint queue_entries_lane_is_known check (lane in ('http', 'browser', 'delivery')),
  constraint queue_entries_state_is_known check (state in ('ready', 'scheduled', 'leased')),
  constraint queue_entries_scheduled_for_a_time
    check ((state = 'scheduled') = (due_at_ms is not null)),
  constraint queue_entries_leased_by_a_process check ((state = 'leased') = (leased_by is not null)),
  constraint queue_entries_leased_until_a_time
    check ((leased_by is null) = (leased_until_ms is null)),
  constraint queue_entries_awaited_until_a_time
    check ((awaited_by is null) = (awaited_until_ms is null))
);

insert into queue_entries_by_flow
  (id, lane, work_id, account_id, flow, concurrency_key, state, due_at_ms, leased_by,
   leased_until_ms, fence, crashes, started_at_ms, awaited_by, awaited_until_ms)
select id, lane, work_id, account_id, account_id || '//' || coalesce(gate, ''), gate,
  case state when 'parked' then 'ready' when 'waiting' then 'scheduled' else state end,
  due_at_ms, leased_by, leased_until_ms, fence, crashes, started_at_ms, awaited_by,
  awaited_until_ms
from queue_entries_by_position;

drop table queue_entries_by_position;
alter table queue_entries_by_flow rename to queue_entries;

create index queue_entries_ready on queue_entries (lane, flow, id) where state = 'ready';
-- The oldest that no worker has started yet, for the queue's age.
create index queue_entries_unstarted on queue_entries (lane, id)
  where state = 'ready' and fence = 0;
create index queue_entries_scheduled on queue_entries (lane, due_at_ms, flow)
  where state = 'scheduled';
create index queue_entries_leased on queue_entries (leased_by) where state = 'leased';
create index queue_entries_leased_at_key on queue_entries (concurrency_key)
  where state = 'leased' and concurrency_key is not null;
create index queue_entries_awaited on queue_entries (awaited_by) where awaited_by is not null;

-- An accepted scrape request and what became of it. Whether an open one is waiting or being worked on
-- is told by its queue entry.
create table tasks (
  id text primary key,
  account_id text not null references accounts (id),
  kind text not null,
  url text not null,
  callback_url text,
  callback_on_failure integer not null,
  request text not null,
  metadata text,
  state text not null,
  attempts integer not null,
  attempt_log text not null,
  error_code text,
  error_message text,
  created_at_ms bigint not null,
  started_at_ms bigint,
  completed_at_ms bigint,
  constraint tasks_kind_is_known check (kind in ('callback', 'realtime')),
  constraint tasks_state_is_known check (state in ('open', 'completed', 'failed', 'cancelled')),
  constraint tasks_open_or_ended check ((state = 'open') = (completed_at_ms is null)),
  constraint tasks_fail_for_a_reason check ((state = 'failed') = (error_code is not null)),
  constraint tasks_callback_has_a_url check ((kind = 'callback') = (callback_url is not null)),
  constraint tasks_callback_on_failure_is_a_boolean check (callback_on_failure in (0, 1))
);
create index tasks_by_account on tasks (account_id, created_at_ms, id);
-- Most tasks are completed: whoever looks for the others need not pass by them.
create index tasks_failed on tasks (account_id, created_at_ms, id) where state = 'failed';
create index tasks_cancelled on tasks (account_id, created_at_ms, id) where state = 'cancelled';

-- What an engine brought back, apart from the bytes; gone once its time is over.
create table results (
  task_id text primary key references tasks (id) on delete cascade,
  facts text not null,
  created_at_ms bigint not null
);
create index results_by_age on results (created_at_ms);

create table blobs (
  owner_id text not null,
  kind text not null,
  bytes bytea not null,
  primary key (owner_id, kind),
  constraint blobs_kind_is_known check (kind in ('page', 'screenshot'))
);

-- The duty to tell one URL about one event: a callback of a task, or a webhook's event.
create table deliveries (
  id text primary key,
  account_id text not null references accounts (id),
  task_id text not null references tasks (id) on delete cascade,
  webhook_id text,
  event_type text,
  state text not null,
  attempts integer not null,
  schedule_step integer not null,
  next_attempt_at_ms bigint,
  last_status_code integer,
  last_error text,
  created_at_ms bigint not null,
  delivered_at_ms bigint,
  ended_at_ms bigint,
  constraint deliveries_state_is_known
    check (state in ('pending', 'delivered', 'failed', 'skipped')),
  constraint deliveries_pending_or_ended check ((state = 'pending') = (ended_at_ms is null)),
  constraint deliveries_delivered_at_a_time
    check (state <> 'delivered' or delivered_at_ms is not null),
  constraint deliveries_webhook_has_an_event
    check ((webhook_id is null) = (event_type is null))
);
create index deliveries_by_task on deliveries (task_id);
create index deliveries_by_webhook on deliveries (webhook_id, created_at_ms, id)
  where webhook_id is not null;

create table delivery_attempts (
  delivery_id text not null references deliveries (id) on delete cascade,
  number integer not null,
  started_at_ms bigint not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  answer_excerpt text,
  primary key (delivery_id, number)
);

-- What is still to be done. An entry goes by the id of its task or delivery; only a delivery that is sent
-- once more beside its schedule has an entry with an id of its own. An entry is leased, worked on and
-- settled; settling removes it, so that this table stays small however many tasks were ever finished.
-- Entries with a gate share the gate's slots; one that found none is parked until a slot is free.
create table queue_entries (
  id text primary key,
  lane text not null,
  work_id text not null,
  account_id text not null,
  state text not null,
  position bigint not null,
  due_at_ms bigint,
  gate text,
  leased_by text,
  leased_until_ms bigint,
  fence integer not null,
  crashes integer not null,
  started_at_ms bigint,
  awaited_by text,
  awaited_until_ms bigint,
  constraint queue_entries_lane_is_known check (lane in ('http', 'browser', 'delivery')),
  constraint queue_entries_state_is_known
    check (state in ('ready', 'waiting', 'parked', 'leased')),
  constraint queue_entries_wait_for_a_time check ((state = 'waiting') = (due_at_ms is not null)),
  constraint queue_entries_park_at_a_gate check (state <> 'parked' or gate is not null),
  constraint queue_entries_leased_by_someone check ((state = 'leased') = (leased_by is not null)),
  constraint queue_entries_leased_until_a_time
    check ((leased_by is null) = (leased_until_ms is null)),
  constraint queue_entries_awaited_until_a_time
    check ((awaited_by is null) = (awaited_until_ms is null))
);
create index queue_entries_ready on queue_entries (lane, position, id) where state = 'ready';
create index queue_entries_ready_of_account on queue_entries (lane, account_id, position)
  where state = 'ready';
create index queue_entries_waiting on queue_entries (lane, due_at_ms, account_id)
  where state = 'waiting';
create index queue_entries_parked on queue_entries (gate, position, id) where state = 'parked';
create index queue_entries_parked_of_account on queue_entries (lane, account_id, gate, position)
  where state = 'parked';
create index queue_entries_leased on queue_entries (leased_by) where state = 'leased';
create index queue_entries_leased_at_gate on queue_entries (gate)
  where state = 'leased' and gate is not null;
create index queue_entries_awaited on queue_entries (awaited_by) where awaited_by is not null;

-- The first answer to a request that a caller may repeat.
create table idempotency_records (
  account_id text not null references accounts (id),
  idempotency_key text not null,
  fingerprint text not null,
  task_id text not null,
  created_at_ms bigint not null,
  primary key (account_id, idempotency_key)
);
create index idempotency_records_by_age on idempotency_records (created_at_ms);

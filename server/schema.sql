-- Generated from the migrations by `npm run generate`; not edited by hand.

CREATE TABLE accounts (
  id text primary key,
  username text not null unique,
  password_hash text not null,
  is_enabled integer not null default 1,
  created_at_ms bigint not null,
  constraint accounts_is_enabled_is_a_boolean check (is_enabled in (0, 1))
);

CREATE TABLE api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  digest text not null unique,
  label text not null,
  created_at_ms bigint not null,
  last_used_at_ms bigint,
  revoked_at_ms bigint
, name text not null default '');

CREATE INDEX api_keys_by_account on api_keys (account_id);

CREATE TABLE blobs (
  owner_id text not null,
  kind text not null,
  bytes bytea not null,
  primary key (owner_id, kind),
  constraint blobs_kind_is_known check (kind in ('page', 'screenshot'))
);

CREATE TABLE crawl_hosts (
  host text primary key,
  next_at_ms bigint not null
);

CREATE TABLE crawl_pages (
  job_id text not null references jobs (id) on delete cascade,
  -- A salted hash of the canonical URL.
  url_key text not null,
  account_id text not null references accounts (id),
  url text not null,
  depth integer not null,
  parent_position integer not null,
  link_index integer not null,
  position integer,
  primary key (job_id, url_key)
);

CREATE UNIQUE INDEX crawl_pages_by_position on crawl_pages (job_id, position)
  where position is not null;

CREATE INDEX crawl_pages_found on crawl_pages (job_id, depth, parent_position, link_index)
  where position is null;

CREATE TABLE crawl_turns (
  host text not null,
  job_id text not null references jobs (id) on delete cascade,
  since_ms bigint not null,
  seen_ms bigint not null,
  primary key (host, job_id)
);

CREATE TABLE day_rollups (
  account_id text not null references accounts (id),
  utc_day integer not null,
  slot integer not null,
  completed_count bigint not null,
  failed_count bigint not null,
  duration_ms bigint not null,
  tokens bigint not null,
  primary key (account_id, utc_day, slot)
);

CREATE INDEX day_rollups_by_day on day_rollups (utc_day);

CREATE TABLE "deliveries" (
  id text primary key,
  account_id text not null references accounts (id),
  task_id text references tasks (id) on delete cascade,
  job_id text references jobs (id) on delete cascade,
  job_end text,
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
  constraint deliveries_are_about_one_thing check ((task_id is null) <> (job_id is null)),
  constraint deliveries_of_jobs_have_an_end check ((job_id is null) = (job_end is null)),
  constraint deliveries_state_is_known
    check (state in ('pending', 'delivered', 'failed', 'skipped')),
  constraint deliveries_pending_or_ended check ((state = 'pending') = (ended_at_ms is null)),
  constraint deliveries_delivered_at_a_time
    check (state <> 'delivered' or delivered_at_ms is not null),
  constraint deliveries_webhook_has_an_event
    check ((webhook_id is null) = (event_type is null))
);

CREATE INDEX deliveries_by_job on deliveries (job_id) where job_id is not null;

CREATE INDEX deliveries_by_task on deliveries (task_id) where task_id is not null;

CREATE INDEX deliveries_by_webhook on deliveries (webhook_id, created_at_ms, id)
  where webhook_id is not null;

CREATE TABLE "delivery_attempts" (
  delivery_id text not null references "deliveries" (id) on delete cascade,
  number integer not null,
  started_at_ms bigint not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  answer_excerpt text,
  primary key (delivery_id, number)
);

CREATE TABLE host_rollups (
  account_id text not null references accounts (id),
  utc_day integer not null,
  host text not null,
  segment text not null,
  activity text not null,
  primary key (account_id, utc_day, host, segment)
);

CREATE INDEX host_rollups_by_day on host_rollups (utc_day);

CREATE TABLE idempotency_records (
  account_id text not null references accounts (id),
  idempotency_key text not null,
  fingerprint text not null,
  task_id text not null,
  created_at_ms bigint not null,
  primary key (account_id, idempotency_key)
);

CREATE INDEX idempotency_records_by_age on idempotency_records (created_at_ms);

CREATE TABLE jobs (
  id text primary key,
  account_id text not null references accounts (id),
  kind text not null,
  url text,
  request text not null,
  invalid_urls text,
  callback_url text,
  state text not null,
  error_code text,
  error_message text,
  total_count integer not null,
  open_count integer not null,
  completed_count integer not null,
  failed_count integer not null,
  cancelled_count integer not null,
  tokens integer not null,
  retries integer not null,
  created_at_ms bigint not null,
  completed_at_ms bigint, links_count integer, listing text,
  constraint jobs_kind_is_known check (kind in ('batch', 'crawl', 'map')),
  constraint jobs_state_is_known check (state in ('open', 'completed', 'failed', 'cancelled')),
  constraint jobs_counts_add_up
    check (total_count = open_count + completed_count + failed_count + cancelled_count),
  constraint jobs_counts_are_counts
    check (open_count >= 0 and completed_count >= 0 and failed_count >= 0 and cancelled_count >= 0),
  constraint jobs_open_or_ended check (state <> 'open' or completed_at_ms is null)
);

CREATE INDEX jobs_by_account on jobs (account_id, kind, created_at_ms, id);

CREATE INDEX jobs_by_end on jobs (completed_at_ms) where completed_at_ms is not null;

CREATE INDEX jobs_not_ended on jobs (id) where completed_at_ms is null;

CREATE INDEX jobs_not_ended_of_account on jobs (account_id, kind) where completed_at_ms is null;

CREATE INDEX jobs_of_all_kinds on jobs (account_id, created_at_ms, id);

CREATE TABLE lane_workers (
  process_id text not null,
  lane text not null,
  until_ms bigint not null, slots integer not null default 0,
  primary key (process_id, lane),
  constraint lane_workers_lane_is_known check (lane in ('http', 'browser', 'delivery'))
);

CREATE TABLE listening_ports (
  process_id text not null,
  address text not null,
  port bigint not null,
  until_ms bigint not null, key_ids text not null default '',
  primary key (process_id, address, port)
);

CREATE TABLE minute_rollups (
  account_id text not null references accounts (id),
  utc_minute integer not null,
  segment text not null,
  activity text not null,
  primary key (account_id, utc_minute, segment)
);

CREATE INDEX minute_rollups_by_minute on minute_rollups (utc_minute);

CREATE TABLE "queue_entries" (
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
  awaited_until_ms bigint, crashed_by text,
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

CREATE INDEX queue_entries_awaited on queue_entries (awaited_by) where awaited_by is not null;

CREATE INDEX queue_entries_crashed on queue_entries (crashed_by) where crashed_by is not null;

CREATE INDEX queue_entries_leased on queue_entries (leased_by) where state = 'leased';

CREATE INDEX queue_entries_leased_at_key on queue_entries (concurrency_key)
  where state = 'leased' and concurrency_key is not null;

CREATE INDEX queue_entries_ready on queue_entries (lane, flow, id) where state = 'ready';

CREATE INDEX queue_entries_scheduled on queue_entries (lane, due_at_ms, flow)
  where state = 'scheduled';

CREATE INDEX queue_entries_unstarted on queue_entries (lane, id)
  where state = 'ready' and fence = 0;

CREATE TABLE rate_windows (
  name text primary key,
  started_at_ms bigint not null,
  request_count integer not null
);

CREATE TABLE results (
  task_id text primary key references tasks (id) on delete cascade,
  facts text not null,
  created_at_ms bigint not null
, account_id text not null default '', bytes bigint not null default 0);

CREATE INDEX results_by_account on results (account_id, created_at_ms, task_id, bytes);

CREATE INDEX results_by_age on results (created_at_ms);

CREATE TABLE schema_migrations (
    version bigint primary key,
    purpose text not null,
    applied_at_ms bigint not null
  );

CREATE TABLE sessions (
  account_id text not null references accounts (id),
  name text not null,
  contents text not null,
  last_used_at_ms bigint not null,
  primary key (account_id, name)
);

CREATE INDEX sessions_by_use on sessions (last_used_at_ms);

CREATE INDEX sessions_of_account_by_use on sessions (account_id, last_used_at_ms);

CREATE TABLE sign_in_links (
  digest text primary key,
  account_id text not null references accounts (id),
  password_mark text not null,
  expires_at_ms bigint not null
);

CREATE INDEX sign_in_links_by_expiry on sign_in_links (expires_at_ms);

CREATE TABLE sign_ins (
  digest text primary key,
  account_id text not null references accounts (id),
  api_key_id text references api_keys (id),
  password_mark text,
  created_at_ms bigint not null,
  last_used_at_ms bigint not null,
  constraint sign_ins_have_one_credential check ((api_key_id is null) <> (password_mark is null))
);

CREATE INDEX sign_ins_by_use on sign_ins (last_used_at_ms);

CREATE INDEX sign_ins_of_account on sign_ins (account_id, last_used_at_ms);

CREATE TABLE signing_secrets (
  id text primary key,
  account_id text not null references accounts (id),
  webhook_id text references webhooks (id) on delete cascade,
  sealed text not null,
  created_at_ms bigint not null,
  expires_at_ms bigint
);

CREATE INDEX signing_secrets_by_owner on signing_secrets (account_id, webhook_id);

CREATE TABLE store_properties (
  name text primary key,
  value text not null
);

CREATE TABLE tasks (
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
  completed_at_ms bigint, formats text, cache_key text, job_id text references jobs (id) on delete cascade, position integer, crawl_host text, listing text,
  constraint tasks_kind_is_known check (kind in ('callback', 'realtime')),
  constraint tasks_state_is_known check (state in ('open', 'completed', 'failed', 'cancelled')),
  constraint tasks_open_or_ended check ((state = 'open') = (completed_at_ms is null)),
  constraint tasks_fail_for_a_reason check ((state = 'failed') = (error_code is not null)),
  constraint tasks_callback_has_a_url check ((kind = 'callback') = (callback_url is not null)),
  constraint tasks_callback_on_failure_is_a_boolean check (callback_on_failure in (0, 1))
);

CREATE INDEX tasks_by_account on tasks (account_id, created_at_ms, id, job_id) where job_id is null;

CREATE INDEX tasks_by_cache_key on tasks (account_id, cache_key, completed_at_ms) where cache_key is not null;

CREATE UNIQUE INDEX tasks_by_job on tasks (job_id, position) where job_id is not null;

CREATE INDEX tasks_cancelled on tasks (account_id, created_at_ms, id, job_id)
  where state = 'cancelled' and job_id is null;

CREATE INDEX tasks_completed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'completed' and job_id is null;

CREATE INDEX tasks_failed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'failed' and job_id is null;

CREATE INDEX tasks_of_jobs_by_account on tasks (account_id, created_at_ms, id, job_id)
  where job_id is not null;

CREATE INDEX tasks_of_jobs_cancelled on tasks (account_id, created_at_ms, id, job_id)
  where state = 'cancelled' and job_id is not null;

CREATE INDEX tasks_of_jobs_completed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'completed' and job_id is not null;

CREATE INDEX tasks_of_jobs_failed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'failed' and job_id is not null;

CREATE INDEX tasks_open_of_host on tasks (crawl_host)
  where crawl_host is not null and state = 'open';

CREATE INDEX tasks_queued_of_crawl on tasks (job_id)
  where crawl_host is not null and state = 'open';

CREATE INDEX tasks_unqueued on tasks (job_id, position)
  where crawl_host is null and job_id is not null and state = 'open';

CREATE TABLE webhooks (
  id text primary key,
  account_id text not null references accounts (id),
  url text not null,
  event_type text not null,
  description text not null,
  is_active integer not null default 1,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  constraint webhooks_event_type_is_known
    check (event_type in ('extract_completed', 'batch_completed', 'crawl_completed')),
  constraint webhooks_is_active_is_a_boolean check (is_active in (0, 1))
);

CREATE INDEX webhooks_by_account on webhooks (account_id, created_at_ms, id);

CREATE TABLE whitelisted_ips (
  id text primary key,
  account_id text not null references accounts (id),
  block text not null,
  description text not null,
  created_at_ms bigint not null,
  constraint whitelisted_ips_are_listed_once unique (account_id, block)
);

CREATE INDEX whitelisted_ips_by_block on whitelisted_ips (block);

-- A job is a group of tasks that a caller follows as one: a batch, a crawl, a map. Its counts change with the end of each
-- task, so they always add up: total = open + completed + failed + cancelled. It has ended once `completed_at_ms` is set; a
-- cancelled one has its state at once and ends with the last task that was running. `retries`: how often its failed tasks
-- were run again. `invalid_urls` may be long, so lists do not read it.
create table jobs (
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
  completed_at_ms bigint,
  constraint jobs_kind_is_known check (kind in ('batch', 'crawl', 'map')),
  constraint jobs_state_is_known check (state in ('open', 'completed', 'failed', 'cancelled')),
  constraint jobs_counts_add_up
    check (total_count = open_count + completed_count + failed_count + cancelled_count),
  constraint jobs_counts_are_counts
    check (open_count >= 0 and completed_count >= 0 and failed_count >= 0 and cancelled_count >= 0),
  constraint jobs_open_or_ended check (state <> 'open' or completed_at_ms is null)
);
create index jobs_by_account on jobs (account_id, kind, created_at_ms, id);
create index jobs_not_ended on jobs (id) where completed_at_ms is null;
create index jobs_not_ended_of_account on jobs (account_id, kind) where completed_at_ms is null;
create index jobs_by_end on jobs (completed_at_ms) where completed_at_ms is not null;

-- `position` is the place of a task in its job, from 0 on.
alter table tasks add column job_id text references jobs (id) on delete cascade;
alter table tasks add column position integer;
create unique index tasks_by_job on tasks (job_id, position) where job_id is not null;

-- The pages of a job are listed with it, and not among the single tasks.
drop index tasks_by_account;
create index tasks_by_account on tasks (account_id, created_at_ms, id) where job_id is null;
drop index tasks_failed;
create index tasks_failed on tasks (account_id, created_at_ms, id)
  where state = 'failed' and job_id is null;
drop index tasks_cancelled;
create index tasks_cancelled on tasks (account_id, created_at_ms, id)
  where state = 'cancelled' and job_id is null;

-- A delivery is about a task or about one end of a job: `job_end` is the state in which the job ended, which may run again.
-- The tables are renamed before they are copied, which locks them on PostgreSQL: see 0009.
alter table deliveries rename to deliveries_of_tasks;
alter table delivery_attempts rename to delivery_attempts_of_tasks;
create table deliveries_of_both (
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
insert into deliveries_of_both
  (id, account_id, task_id, webhook_id, event_type, state, attempts, schedule_step,
   next_attempt_at_ms, last_status_code, last_error, created_at_ms, delivered_at_ms, ended_at_ms)
select id, account_id, task_id, webhook_id, event_type, state, attempts, schedule_step,
  next_attempt_at_ms, last_status_code, last_error, created_at_ms, delivered_at_ms, ended_at_ms
from deliveries_of_tasks;
create table delivery_attempts_of_both (
  delivery_id text not null references deliveries_of_both (id) on delete cascade,
  number integer not null,
  started_at_ms bigint not null,
  duration_ms integer not null,
  status_code integer,
  error text,
  answer_excerpt text,
  primary key (delivery_id, number)
);
insert into delivery_attempts_of_both
  (delivery_id, number, started_at_ms, duration_ms, status_code, error, answer_excerpt)
select delivery_id, number, started_at_ms, duration_ms, status_code, error, answer_excerpt
from delivery_attempts_of_tasks;
drop table delivery_attempts_of_tasks;
drop table deliveries_of_tasks;
alter table deliveries_of_both rename to deliveries;
alter table delivery_attempts_of_both rename to delivery_attempts;
create index deliveries_by_task on deliveries (task_id) where task_id is not null;
create index deliveries_by_job on deliveries (job_id) where job_id is not null;
create index deliveries_by_webhook on deliveries (webhook_id, created_at_ms, id)
  where webhook_id is not null;

-- What an account's tasks of one UTC day add up to, written with the end of each task, so that statistics never
-- read tasks, which are kept for a shorter time. Days are counted from 1970-01-01. On PostgreSQL the tasks of a day are
-- spread over several rows by slot, since commits that change one row wait for each other.
create table day_rollups (
  account_id text not null references accounts (id),
  utc_day integer not null,
  slot integer not null,
  completed_count bigint not null,
  failed_count bigint not null,
  duration_ms bigint not null,
  tokens bigint not null,
  primary key (account_id, utc_day, slot)
);
create index day_rollups_by_day on day_rollups (utc_day);

insert into day_rollups
  (account_id, utc_day, slot, completed_count, failed_count, duration_ms, tokens)
select account_id, completed_at_ms / 86400000, 0,
  sum(case state when 'completed' then 1 else 0 end),
  sum(case state when 'failed' then 1 else 0 end),
  sum(completed_at_ms - coalesce(started_at_ms, created_at_ms)),
  sum(case state when 'completed' then 1 else 0 end)
from tasks
where state in ('completed', 'failed')
group by account_id, completed_at_ms / 86400000;

-- How much each worker can do at once; 0 for workers of an earlier version, which do not say.
alter table lane_workers add column slots integer not null default 0;

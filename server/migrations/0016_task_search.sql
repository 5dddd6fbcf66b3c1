-- Searching all tasks of an account: single tasks have such indexes already, pages of jobs had none.
create index tasks_of_jobs_by_account on tasks (account_id, created_at_ms, id)
  where job_id is not null;
create index tasks_of_jobs_failed on tasks (account_id, created_at_ms, id)
  where state = 'failed' and job_id is not null;
create index tasks_of_jobs_cancelled on tasks (account_id, created_at_ms, id)
  where state = 'cancelled' and job_id is not null;
-- What an account calls its keys.
alter table api_keys add column name text not null default '';

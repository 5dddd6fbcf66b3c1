-- Lists of tasks. Completed tasks had no index: they were looked for among all tasks of the account. With `job_id`, which is
-- part of their conditions, the indexes have all that counting and finding the place of a page needs.
drop index tasks_by_account;
create index tasks_by_account on tasks (account_id, created_at_ms, id, job_id) where job_id is null;
drop index tasks_failed;
create index tasks_failed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'failed' and job_id is null;
drop index tasks_cancelled;
create index tasks_cancelled on tasks (account_id, created_at_ms, id, job_id)
  where state = 'cancelled' and job_id is null;
create index tasks_completed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'completed' and job_id is null;
drop index tasks_of_jobs_by_account;
create index tasks_of_jobs_by_account on tasks (account_id, created_at_ms, id, job_id)
  where job_id is not null;
drop index tasks_of_jobs_failed;
create index tasks_of_jobs_failed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'failed' and job_id is not null;
drop index tasks_of_jobs_cancelled;
create index tasks_of_jobs_cancelled on tasks (account_id, created_at_ms, id, job_id)
  where state = 'cancelled' and job_id is not null;
create index tasks_of_jobs_completed on tasks (account_id, created_at_ms, id, job_id)
  where state = 'completed' and job_id is not null;

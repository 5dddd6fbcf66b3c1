-- The list of all jobs of an account, newest first, whatever their kinds.
create index jobs_of_all_kinds on jobs (account_id, created_at_ms, id);

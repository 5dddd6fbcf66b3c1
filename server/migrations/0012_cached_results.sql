-- A keyed digest of the request of an extraction whose response may answer the same request again (`max_age`); null for
-- every other task.
alter table tasks add column cache_key text;
create index tasks_by_cache_key on tasks (account_id, cache_key, completed_at_ms) where cache_key is not null;

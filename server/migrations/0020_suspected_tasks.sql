-- Suspected poison tasks keep the concurrency key of their account, and the name of their flow says how often a
-- process died with them. Before, they shared a key of their own and ran one at a time.
update queue_entries
set concurrency_key = null,
    flow = account_id || '/' || case crashes when 1 then '~' when 2 then '~~' else '' end || '/'
where concurrency_key = 'suspects ' || lane;

-- The process that was last taken for dead with the entry: if it lives after all, it takes the crash back.
alter table queue_entries add column crashed_by text;
create index queue_entries_crashed on queue_entries (crashed_by) where crashed_by is not null;

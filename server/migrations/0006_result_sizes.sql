-- How much each result takes, its bytes in blobs included, and whose it is: so that what one account
-- keeps can be added up and its oldest results be found without reading them.
alter table results add column account_id text not null default '';
alter table results add column bytes bigint not null default 0;
update results
set account_id = (select tasks.account_id from tasks where tasks.id = results.task_id),
    bytes = length(facts)
            + coalesce((select sum(length(blobs.bytes)) from blobs
                        where blobs.owner_id = results.task_id), 0);
create index results_by_account on results (account_id, created_at_ms, task_id, bytes);

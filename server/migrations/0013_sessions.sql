-- The sessions that extractions name: a cookie jar and a proxy that the requests of an account with the same name share.
create table sessions (
  account_id text not null references accounts (id),
  name text not null,
  contents text not null,
  last_used_at_ms bigint not null,
  primary key (account_id, name)
);
create index sessions_by_use on sessions (last_used_at_ms);
create index sessions_of_account_by_use on sessions (account_id, last_used_at_ms);

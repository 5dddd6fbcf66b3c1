-- What the dashboard's charts are drawn from: what the tasks of an account that ended in a minute, or of a host on a UTC
-- day, add up to. Each process writes rows of its own, its segments, and whoever reads adds them up, so that no two
-- processes wait for one row.
create table minute_rollups (
  account_id text not null references accounts (id),
  utc_minute integer not null,
  segment text not null,
  activity text not null,
  primary key (account_id, utc_minute, segment)
);
create index minute_rollups_by_minute on minute_rollups (utc_minute);

create table host_rollups (
  account_id text not null references accounts (id),
  utc_day integer not null,
  host text not null,
  segment text not null,
  activity text not null,
  primary key (account_id, utc_day, host, segment)
);
create index host_rollups_by_day on host_rollups (utc_day);

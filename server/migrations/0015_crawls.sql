-- The frontier of a crawl: every page that it knows, each once. `found` pages have no position yet; the pages of a depth
-- get their positions together, in the order of the pages that link to them, once all pages of the depth before have ended.
-- So the same site gives the same pages, whatever the concurrency.
create table crawl_pages (
  job_id text not null references jobs (id) on delete cascade,
  -- A salted hash of the canonical URL.
  url_key text not null,
  account_id text not null references accounts (id),
  url text not null,
  depth integer not null,
  parent_position integer not null,
  link_index integer not null,
  position integer,
  primary key (job_id, url_key)
);
create index crawl_pages_found on crawl_pages (job_id, depth, parent_position, link_index)
  where position is null;
create unique index crawl_pages_by_position on crawl_pages (job_id, position)
  where position is not null;

-- Politeness, shared by all crawls of the store: when the next page of a host may be asked for.
create table crawl_hosts (
  host text primary key,
  next_at_ms bigint not null
);

-- Crawls that wait for a host take turns, the one that waits longest first. A crawl that has not looked for a while is
-- passed over.
create table crawl_turns (
  host text not null,
  job_id text not null references jobs (id) on delete cascade,
  since_ms bigint not null,
  seen_ms bigint not null,
  primary key (host, job_id)
);

-- Set when a page of a crawl enters the queue.
alter table tasks add column crawl_host text;
create index tasks_open_of_host on tasks (crawl_host)
  where crawl_host is not null and state = 'open';
create index tasks_queued_of_crawl on tasks (job_id)
  where crawl_host is not null and state = 'open';
create index tasks_unqueued on tasks (job_id, position)
  where crawl_host is null and job_id is not null and state = 'open';

-- How many links a map has found.
alter table jobs add column links_count integer;

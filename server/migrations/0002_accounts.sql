-- Who is calling, and what opens the door for them.
create table accounts (
  id text primary key,
  username text not null unique,
  password_hash text not null,
  is_enabled integer not null default 1,
  created_at_ms bigint not null,
  constraint accounts_is_enabled_is_a_boolean check (is_enabled in (0, 1))
);

-- A key itself is never kept, only its digest; the label tells one from another in a list.
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  digest text not null unique,
  label text not null,
  created_at_ms bigint not null,
  last_used_at_ms bigint,
  revoked_at_ms bigint
);
create index api_keys_by_account on api_keys (account_id);

-- Addresses that need no credentials. Blocks are kept in their one canonical spelling.
create table whitelisted_ips (
  id text primary key,
  account_id text not null references accounts (id),
  block text not null,
  description text not null,
  created_at_ms bigint not null,
  constraint whitelisted_ips_are_listed_once unique (account_id, block)
);
create index whitelisted_ips_by_block on whitelisted_ips (block);

create table webhooks (
  id text primary key,
  account_id text not null references accounts (id),
  url text not null,
  event_type text not null,
  description text not null,
  is_active integer not null default 1,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  constraint webhooks_event_type_is_known
    check (event_type in ('extract_completed', 'batch_completed', 'crawl_completed')),
  constraint webhooks_is_active_is_a_boolean check (is_active in (0, 1))
);
create index webhooks_by_account on webhooks (account_id, created_at_ms, id);

-- What deliveries are signed with: an account's callbacks (no webhook) or one webhook's events.
-- A rotated secret stays valid beside its successor until it expires.
create table signing_secrets (
  id text primary key,
  account_id text not null references accounts (id),
  webhook_id text references webhooks (id) on delete cascade,
  sealed text not null,
  created_at_ms bigint not null,
  expires_at_ms bigint
);
create index signing_secrets_by_owner on signing_secrets (account_id, webhook_id);

-- Requests of one kind by one account since the window began.
create table rate_windows (
  name text primary key,
  started_at_ms bigint not null,
  request_count integer not null
);

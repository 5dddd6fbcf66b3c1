-- Generated from the migrations by `npm run generate`; not edited by hand.

CREATE TABLE accounts (
  id text primary key,
  username text not null unique,
  password_hash text not null,
  is_enabled integer not null default 1,
  created_at_ms bigint not null,
  constraint accounts_is_enabled_is_a_boolean check (is_enabled in (0, 1))
);

CREATE TABLE api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  digest text not null unique,
  label text not null,
  created_at_ms bigint not null,
  last_used_at_ms bigint,
  revoked_at_ms bigint
);

CREATE INDEX api_keys_by_account on api_keys (account_id);

CREATE TABLE rate_windows (
  name text primary key,
  started_at_ms bigint not null,
  request_count integer not null
);

CREATE TABLE schema_migrations (
    version bigint primary key,
    purpose text not null,
    applied_at_ms bigint not null
  );

CREATE TABLE signing_secrets (
  id text primary key,
  account_id text not null references accounts (id),
  webhook_id text references webhooks (id) on delete cascade,
  sealed text not null,
  created_at_ms bigint not null,
  expires_at_ms bigint
);

CREATE INDEX signing_secrets_by_owner on signing_secrets (account_id, webhook_id);

CREATE TABLE store_properties (
  name text primary key,
  value text not null
);

CREATE TABLE webhooks (
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

CREATE INDEX webhooks_by_account on webhooks (account_id, created_at_ms, id);

CREATE TABLE whitelisted_ips (
  id text primary key,
  account_id text not null references accounts (id),
  block text not null,
  description text not null,
  created_at_ms bigint not null,
  constraint whitelisted_ips_are_listed_once unique (account_id, block)
);

CREATE INDEX whitelisted_ips_by_block on whitelisted_ips (block);

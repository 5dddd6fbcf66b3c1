-- A link that signs a person in once, printed on the machine of the service. Its token is stored as a digest only. Using
-- it removes the row and begins a session of the password that `password_mark` is a digest of the stored hash of.
create table sign_in_links (
  digest text primary key,
  account_id text not null references accounts (id),
  password_mark text not null,
  expires_at_ms bigint not null
);
create index sign_in_links_by_expiry on sign_in_links (expires_at_ms);

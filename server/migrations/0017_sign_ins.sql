-- A session of a person, behind a cookie whose token is stored as a digest only. It ends with the credential that it was
-- begun with: the API key, or the password, of which `password_mark` is a digest of the stored hash.
create table sign_ins (
  digest text primary key,
  account_id text not null references accounts (id),
  api_key_id text references api_keys (id),
  password_mark text,
  created_at_ms bigint not null,
  last_used_at_ms bigint not null,
  constraint sign_ins_have_one_credential check ((api_key_id is null) <> (password_mark is null))
);
create index sign_ins_by_use on sign_ins (last_used_at_ms);
create index sign_ins_of_account on sign_ins (account_id, last_used_at_ms);

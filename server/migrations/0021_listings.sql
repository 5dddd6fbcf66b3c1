-- What lists show of a request, encrypted: whole requests may be long, and lists decrypt a hundred of them. Rows of
-- earlier versions get theirs while the service runs (`storage/schema/fill-listings.ts`); lists read their requests until then.
alter table tasks add column listing text;
alter table jobs add column listing text;

-- The formats of an extraction, separated by spaces, which also begin and end the text; null for a scrape. The column
-- `kind` only says whether there is a callback, so an extraction has the kind `realtime` in it.
alter table tasks add column formats text;

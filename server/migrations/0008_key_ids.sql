-- Which keys each process has, so that a rotation is not begun or ended while one lacks the new key. Of processes of
-- an earlier version nothing is known, which counts as lacking it.
alter table listening_ports add column key_ids text not null default '';

-- Where processes of this store listen. The egress guard of every process refuses these (SSRF), so that no task,
-- callback or webhook can call the service from inside. Each heartbeat changes until_ms: a row that stays as it is
-- for ten minutes is that of a dead process.
create table listening_ports (
  process_id text not null,
  address text not null,
  port bigint not null,
  until_ms bigint not null,
  primary key (process_id, address, port)
);

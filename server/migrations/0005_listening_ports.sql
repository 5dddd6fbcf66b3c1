-- Where processes of this store listen, and until when that is to be believed. The egress guard of every process
-- refuses these, so that no task, callback or webhook can call the service from inside.
create table listening_ports (
  process_id text not null,
  address text not null,
  port bigint not null,
  until_ms bigint not null,
  primary key (process_id, address, port)
);

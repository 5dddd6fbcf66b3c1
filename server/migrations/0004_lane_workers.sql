-- Who works on lanes that not every worker can work on, such as the browser's, and until when that is
-- to be believed. Callers are told at once where nobody does.
create table lane_workers (
  process_id text not null,
  lane text not null,
  until_ms bigint not null,
  primary key (process_id, lane),
  constraint lane_workers_lane_is_known check (lane in ('http', 'browser', 'delivery'))
);

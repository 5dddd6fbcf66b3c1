-- What the store knows about itself.
create table store_properties (
  name text primary key,
  value text not null
);

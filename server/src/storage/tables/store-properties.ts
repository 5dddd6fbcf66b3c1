/** Key-value pairs about the store itself. */
import { sql, sqlValue } from '../statement.ts'

/** A known text encrypted with the key that the store uses, to verify a key. */
export const secretKeyCheck = 'secret_key_check'

export const findStoreProperty = (name: string) =>
  sqlValue<string>`select value from store_properties where name = ${name}`

export const putStoreProperty = (property: { name: string; value: string }) =>
  sql<never>`
    insert into store_properties (name, value)
    values (${property.name}, ${property.value})
    on conflict (name) do update set value = excluded.value`

/** Writes the property only if another one has the given value. */
export const putStorePropertyWhile = (
  property: { name: string; value: string },
  other: { name: string; value: string },
) =>
  sql<never>`
    insert into store_properties (name, value)
    select ${property.name}, ${property.value} from store_properties
    where name = ${other.name} and value = ${other.value}
    on conflict (name) do update set value = excluded.value`

/** Adds the property unless it exists; returns the value that is stored then. */
export const addStoreProperty = (property: { name: string; value: string }) =>
  sqlValue<string>`
    insert into store_properties (name, value)
    values (${property.name}, ${property.value})
    on conflict (name) do update set value = store_properties.value
    returning value`

export const listStoreProperties = () =>
  sql<{ name: string; value: string }>`select name, value from store_properties`

/** Compare and set: leaves the property alone if it has changed since it was read. */
export const replaceStoreProperty = (property: { name: string; from: string; to: string }) =>
  sql<never>`
    update store_properties set value = ${property.to}
    where name = ${property.name} and value = ${property.from}`

export const deleteStoreProperty = (name: string) =>
  sql<never>`delete from store_properties where name = ${name}`

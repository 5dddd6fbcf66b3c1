/** The addresses and ports on which processes of this store listen. */
import { type Statement, sql } from '../statement.ts'

export interface ListeningPort {
  address: string
  port: number
}

/** One row of a process, which moves `untilMs` with each heartbeat. */
export interface ListeningPortRow extends ListeningPort {
  processId: string
  untilMs: number
}

export const putListeningPort = (row: ListeningPortRow & { keyIds: readonly string[] }) =>
  sql<never>`
    insert into listening_ports (process_id, address, port, key_ids, until_ms)
    values (${row.processId}, ${row.address}, ${row.port}, ${row.keyIds.join(' ')},
            ${row.untilMs})
    on conflict (process_id, address, port) do update set until_ms = excluded.until_ms`

/** Also lists rows of dead processes that were not removed yet. */
export const listListeningPorts = () =>
  sql<ListeningPortRow>`
    select process_id as "processId", address, port, until_ms as "untilMs" from listening_ports`.quick()

/** Removes the row unless its process has renewed it meanwhile. */
export const removeListeningPort = (row: ListeningPortRow) =>
  sql<never>`
    delete from listening_ports
    where process_id = ${row.processId} and address = ${row.address} and port = ${row.port}
      and until_ms = ${row.untilMs}`

/** Each process that may still be alive: one place where it listens, and the ids of its keys. */
export const listKeysOfProcesses = (nowMs: number): Statement<KeysOfProcess> =>
  sql<{ address: string; port: number; key_ids: string }>`
    select min(address) as address, min(port) as port, min(key_ids) as key_ids
    from listening_ports
    where until_ms >= ${nowMs}
    group by process_id`.map(({ key_ids, ...place }) => ({ ...place, keyIds: key_ids.split(' ') }))

interface KeysOfProcess extends ListeningPort {
  keyIds: string[]
}

export const removeListeningPorts = (processId: string) =>
  sql<never>`delete from listening_ports where process_id = ${processId}`

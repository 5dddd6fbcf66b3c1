/** Where processes of this store listen. */
import { type Statement, sql } from './statement.ts'

export interface ListeningPort {
  address: string
  port: number
}

export const putListeningPort = (
  listening: ListeningPort & { processId: string; untilMs: number },
): Statement<never> =>
  sql<never>`
    insert into listening_ports (process_id, address, port, until_ms)
    values (${listening.processId}, ${listening.address}, ${listening.port}, ${listening.untilMs})
    on conflict (process_id, address, port) do update set until_ms = excluded.until_ms`

/** A handful of rows for each process; those of dead processes stay until they are forgotten. */
export const listListeningPorts = (): Statement<ListeningPort> =>
  sql<ListeningPort>`select address, port from listening_ports`.quick()

export const forgetListeningPorts = (untilBeforeMs: number): Statement<never> =>
  sql<never>`delete from listening_ports where until_ms < ${untilBeforeMs}`

export const removeListeningPorts = (processId: string): Statement<never> =>
  sql<never>`delete from listening_ports where process_id = ${processId}`

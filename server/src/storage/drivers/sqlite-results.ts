import type { SqlValue, Statement } from '../statement.ts'
import { mapRows } from './map-rows.ts'
import type { StepRows } from './sqlite-messages.ts'

/** Turns rows into what the statement's caller gets. */
export function toResults(statement: Statement<unknown>, found: StepRows | undefined): unknown[] {
  return found ? found.rows.map(resultOf(statement, found)) : []
}

/** The same in turns of the event loop if it is a slow read. */
export const toResultsInTurns = (
  statement: Statement<unknown>,
  found: StepRows | undefined,
): unknown[] | Promise<unknown[]> =>
  found ? mapRows(statement, found.rows, resultOf(statement, found)) : []

function resultOf({ toResult }: Statement<unknown>, { columns }: StepRows) {
  const map = toResult as ((row: unknown) => unknown) | undefined
  return (values: readonly SqlValue[]): unknown => {
    const row: Record<string, SqlValue> = {}
    for (let index = 0; index < columns.length; index++) {
      row[columns[index] as string] = values[index] as SqlValue
    }
    return map ? map(row) : row
  }
}

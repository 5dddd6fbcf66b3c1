import type { SqlValue, Statement } from '../statement.ts'
import type { StepRows } from './sqlite-messages.ts'

/** Turns rows into what the statement's caller gets. */
export function toResults(statement: Statement<unknown>, found: StepRows | undefined): unknown[] {
  if (!found) return []
  const { columns, rows } = found
  const toResult = statement.toResult as ((row: unknown) => unknown) | undefined
  return rows.map((values) => {
    const row: Record<string, SqlValue> = {}
    for (let index = 0; index < columns.length; index++) {
      row[columns[index] as string] = values[index] as SqlValue
    }
    return toResult ? toResult(row) : row
  })
}

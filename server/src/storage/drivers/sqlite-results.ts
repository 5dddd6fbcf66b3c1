import type { SqlValue, Statement } from '../statement.ts'
import type { StepRows } from './sqlite-messages.ts'

/** Rows as the statement's caller sees them. */
export function toResults(statement: Statement<unknown>, answer: StepRows | undefined): unknown[] {
  if (!answer) return []
  const { columns, rows } = answer
  const toResult = statement.toResult as ((row: unknown) => unknown) | undefined
  return rows.map((values) => {
    const row: Record<string, SqlValue> = {}
    for (let index = 0; index < columns.length; index++) {
      row[columns[index] as string] = values[index] as SqlValue
    }
    return toResult ? toResult(row) : row
  })
}

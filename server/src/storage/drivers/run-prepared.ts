import type { SqlValue } from '../statement.ts'
import type { PreparedStatement } from './sqlite-connection.ts'
import type { StepRows } from './sqlite-messages.ts'

export function runPrepared(
  { statement, columns }: PreparedStatement,
  values: readonly SqlValue[],
): StepRows {
  const bound = values.map(toBound)
  if (columns.length > 0) {
    return { columns, rows: statement.all(...bound) as unknown as SqlValue[][] }
  }
  statement.run(...bound)
  return { columns: [], rows: [] }
}

// SQLite binds a number as a real. Bound as a bigint, an integer stays one in text and division.
const toBound = (value: SqlValue) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value

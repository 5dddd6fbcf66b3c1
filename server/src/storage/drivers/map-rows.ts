import { mapInTurns } from '../../runtime/sharing/turns.ts'
import type { Statement } from '../statement.ts'

/** The rows of a slow read, which may be many to decrypt, are mapped in turns of the event loop. */
export const mapRows = <Row>(
  { isSlow }: Statement<unknown>,
  rows: readonly Row[],
  map: (row: Row) => unknown,
): unknown[] | Promise<unknown[]> => (isSlow ? mapInTurns(rows, map) : rows.map(map))

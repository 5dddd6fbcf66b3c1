import type { ListeningPortRow } from '../../storage/listening-ports-table.ts'

/**
 * Finds rows without heartbeats: those that were the same in so many reads in a row. Reads are counted rather than
 * time, as a clock may be set and a process, a machine or the store may stand still, and then nobody sends heartbeats.
 */
export function createSilentRows(
  readsMax: number,
): (rows: readonly ListeningPortRow[]) => ListeningPortRow[] {
  let unchangedReads = new Map<string, number>()

  return (rows) => {
    const counted = rows.map((row) => {
      const key = `${row.processId} ${row.address} ${row.port} ${row.untilMs}`
      return { row, key, reads: (unchangedReads.get(key) ?? -1) + 1 }
    })
    unchangedReads = new Map(counted.map(({ key, reads }) => [key, reads]))
    return counted.filter(({ reads }) => reads >= readsMax).map(({ row }) => row)
  }
}

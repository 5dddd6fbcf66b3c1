import type { ListeningPortRow } from '../../storage/tables/listening-ports.ts'

/**
 * Finds rows without heartbeats: those unchanged in so many consecutive reads. It counts reads rather than time,
 * because a clock may be changed, and while the machine or the store is suspended nobody sends heartbeats.
 */
export function createHeartbeatWatch(
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

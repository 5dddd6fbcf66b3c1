/**
 * The keys of rows: a row moves with its task, so that the focus stays on what somebody is about to select.
 * Pages that were read at different times may have a task twice.
 */
export function rowKeys(rows: readonly { index: number; id: string | undefined }[]): string[] {
  const seen = new Set<string>()
  return rows.map(({ index, id }) => {
    if (id === undefined || seen.has(id)) return `row ${index}`
    seen.add(id)
    return id
  })
}

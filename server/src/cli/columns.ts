/** Rows of cells as lines, each column as wide as its widest cell. */
export function inColumns(rows: readonly (readonly string[])[]): string {
  const columnsCount = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columnsCount }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

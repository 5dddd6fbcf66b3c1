/** What a command prints: as a table for people, or as one JSON document. */
export type Printable = Record<string, unknown> | Record<string, unknown>[]

export function asTable(printed: Printable): string {
  if (!Array.isArray(printed))
    return inColumns(Object.entries(printed).map((pair) => pair.map(String)))
  const [first] = printed
  if (!first) return '(none)'
  const names = Object.keys(first)
  return inColumns([names, ...printed.map((row) => names.map((name) => String(row[name] ?? '-')))])
}

/** Aligns the cells of rows in columns. */
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

/** `1 page`, `2 pages`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

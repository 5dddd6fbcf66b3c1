import { styleText } from 'node:util'
import { cutToWidth, padToWidth, printable, textWidth } from './terminal-text.ts'

/** What a command prints: as a table for people, or as one JSON document. */
export type Printable = Record<string, unknown> | Record<string, unknown>[]

const gap = '  '
const cutColumnWidthMin = 10
const defaultTerminalWidth = 80

/** The width of the terminal; undefined where stdout is a file or a pipe, which take whole lines. */
export const terminalWidth = (): number | undefined =>
  // Some terminals say 0, as they do not know it.
  process.stdout.isTTY ? process.stdout.columns || defaultTerminalWidth : undefined

/** A record is a line for each field, which is never cut; many are rows that fit the terminal. */
export function asTable(printed: Printable, width: number | undefined = terminalWidth()): string {
  if (!Array.isArray(printed)) return asRecord(printed)
  const [first] = printed
  if (!first) return '(none)'
  const names = Object.keys(first)
  const rows = printed.map((row) => names.map((name) => cellOf(row[name])))
  const header = names.map((name) => cellOf(name))
  const widths = fittingWidths([header, ...rows], width)
  // Rows that cannot be made narrow enough are printed as records, one after another.
  if (!widths) return printed.map(asRecord).join('\n\n')
  const [head = '', ...lines] = [header, ...rows].map((row) => lineOf(row, widths))
  return [styleText('bold', head, { stream: process.stdout }), ...lines].join('\n')
}

const asRecord = (record: Record<string, unknown>): string =>
  inColumns(
    Object.entries(record).map(([name, value]) => [name, cellOf(value)]),
    undefined,
  )

/** Aligns the cells of rows in columns; the last one is cut first if they are too wide. */
export function inColumns(
  rows: readonly (readonly string[])[],
  width: number | undefined = terminalWidth(),
): string {
  const widths = fittingWidths(rows, width) ?? fittingWidths(rows, undefined) ?? []
  return rows.map((row) => lineOf(row, widths)).join('\n')
}

/** Text of strangers, such as a URL or a title, must not control the terminal. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const lineOf = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => {
      const columns = widths[column] ?? 0
      return padToWidth(cutToWidth(cell, columns), columns)
    })
    .join(gap)
    .trimEnd()

/** The widths of the columns; the widest are narrowed until all fit. Undefined if they cannot. */
function fittingWidths(
  rows: readonly (readonly string[])[],
  widthMax: number | undefined,
): number[] | undefined {
  const columnsCount = Math.max(0, ...rows.map((row) => row.length))
  const cells = Array.from({ length: columnsCount }, (_, column) =>
    rows.map((row) => row[column] ?? ''),
  )
  const widths = cells.map((column) => Math.max(...column.map(textWidth)))
  if (widthMax === undefined) return widths
  const room = widthMax - gap.length * (columnsCount - 1)
  const isCut = cells.map((column) => !column.some(isId))
  const sum = () => widths.reduce((all, one) => all + one, 0)
  while (sum() > room) {
    const candidates = widths.map((one, column) => (isCut[column] ? one : 0))
    const widest = Math.max(...candidates)
    if (widest <= cutColumnWidthMin) return undefined
    const column = candidates.lastIndexOf(widest)
    const next = Math.max(...candidates.filter((one) => one < widest), cutColumnWidthMin)
    widths[column] = Math.max(next, widest - (sum() - room), cutColumnWidthMin)
  }
  return widths
}

/** Ids are needed whole, for the next command. */
const isId = (cell: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(cell)

/** `1 page`, `2 pages`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

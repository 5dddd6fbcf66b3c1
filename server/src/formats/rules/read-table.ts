import { type Element, isElement, nodesIn } from '../dom/dom.ts'
import { matchText } from './match-text.ts'
import type { WorkBudget } from './work-budget.ts'

/** A row as an object by the names of the header, or as a list where the table has no header. */
export type TableRecord = Record<string, string> | string[]

const columnsMax = 1_000
const rowsMax = 10_000
const cellsMax = 100_000

/** Reads the table that an element is, or the first one inside it; cells that span are repeated. */
export function readTable(element: Element, budget: WorkBudget): TableRecord[] {
  const table = element.localName === 'table' ? element : firstTableIn(element, budget)
  if (!table) return []
  const rows = listRows(table, budget)
  const headerCount = countHeaderRows(rows)
  const grid = toGrid(rows, budget)
  const header = grid.slice(0, headerCount)
  const body = grid.slice(headerCount).filter((row) => row.some((cell) => cell !== ''))
  if (headerCount === 0) return body
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0)
  const names = columnNames(header, width)
  // Each row repeats the names.
  budget.keep(names.reduce((sum, name) => sum + name.length, 0) * body.length)
  return body.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])))
}

interface Row {
  isInHead: boolean
  cells: Element[]
}

function firstTableIn(element: Element, budget: WorkBudget): Element | undefined {
  for (const node of nodesIn(element)) {
    budget.spend(1)
    if (isElement(node) && node.localName === 'table') return node
  }
  return undefined
}

/** The rows of this table, without those of tables inside its cells. */
function listRows(table: Element, budget: WorkBudget): Row[] {
  const rows: Row[] = []
  for (const part of childElements(table)) {
    const isInHead = part.localName === 'thead'
    const isGroup = isInHead || part.localName === 'tbody' || part.localName === 'tfoot'
    for (const row of isGroup ? childElements(part) : [part]) {
      if (row.localName !== 'tr' || rows.length === rowsMax) continue
      const cells = [...childElements(row)].filter((cell) => /^t[dh]$/.test(cell.localName))
      budget.spend(cells.length + 1)
      if (cells.length > 0) rows.push({ isInHead, cells: cells.slice(0, columnsMax) })
    }
  }
  return rows
}

function* childElements(element: Element): Generator<Element> {
  for (let child = element.firstChild; child; child = child.nextSibling) {
    if (isElement(child)) yield child
  }
}

/** The header is `thead`, or else a first row that has header cells only. */
function countHeaderRows(rows: Row[]): number {
  const inHead = rows.findIndex((row) => !row.isInHead)
  if (inHead !== 0) return inHead < 0 ? 0 : inHead
  const isHeader = rows[0]?.cells.every((cell) => cell.localName === 'th') && rows.length > 1
  return isHeader ? 1 : 0
}

/** The text of each cell at each place that it covers. */
function toGrid(rows: Row[], budget: WorkBudget): string[][] {
  const grid: string[][] = rows.map(() => [])
  let cellsLeft = cellsMax
  rows.forEach(({ cells }, y) => {
    let x = 0
    for (const cell of cells) {
      while (grid[y]?.[x] !== undefined) x++
      const text = matchText(cell, budget)
      const width = Math.min(spanOf(cell, 'colspan'), columnsMax - x)
      const height = Math.min(spanOf(cell, 'rowspan') || rows.length, rows.length - y)
      const places = Math.min(width * height, cellsLeft)
      cellsLeft -= places
      budget.keep(text.length * places)
      for (let place = 0; place < places; place++) {
        const row = grid[y + Math.floor(place / width)]
        if (row) row[x + (place % width)] ??= text
      }
      x += width
    }
  })
  return grid.map((row) => Array.from(row, (cell) => cell ?? ''))
}

/** A `rowspan` of 0 means all rows that follow. */
function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(cell.getAttribute(name) ?? '1', 10)
  const least = name === 'rowspan' ? 0 : 1
  return Number.isNaN(span) || span < least ? 1 : Math.min(span, columnsMax)
}

/** Several header rows are joined; a name that is missing or taken gets the column's number. */
function columnNames(header: string[][], width: number): string[] {
  const taken = new Set<string>()
  return Array.from({ length: width }, (_, index) => {
    const parts = header.map((row) => row[index] ?? '').filter((part) => part !== '')
    const name = [...new Set(parts)].join(' ') || `column ${index + 1}`
    const unique = taken.has(name) ? `${name} (${index + 1})` : name
    taken.add(unique)
    return unique
  })
}

import { type Element, isElement } from '../dom/dom.ts'

export interface TableRow {
  element: Element
  cells: Element[]
  isHead: boolean
}

/** The rows of a table in the order in which it shows them, without those of tables inside. */
export function listRows(table: Element): TableRow[] {
  const rows: Record<string, TableRow[]> = { thead: [], tbody: [], tfoot: [] }
  for (let part = table.firstElementChild; part; part = part.nextElementSibling) {
    if (part.localName === 'tr') rows['tbody']?.push(toRow(part, false))
    const target = rows[part.localName]
    if (!target) continue
    for (let row = part.firstElementChild; row; row = row.nextElementSibling) {
      if (row.localName === 'tr') target.push(toRow(row, part.localName === 'thead'))
    }
  }
  return Object.values(rows).flat()
}

function toRow(row: Element, isHead: boolean): TableRow {
  const cells: Element[] = []
  for (let cell = row.firstChild; cell; cell = cell.nextSibling) {
    if (isElement(cell) && (cell.localName === 'td' || cell.localName === 'th')) cells.push(cell)
  }
  return { element: row, cells, isHead }
}

/** A grid larger than this is written without regard to spans. */
const gridCellsMax = 200_000
const spanMax = 1000

/**
 * Places cells in a grid. A cell that spans several rows or columns stands in the first place of them
 * and leaves the others empty.
 */
export function toGrid(rows: readonly TableRow[], textOf: (cell: Element) => string): string[][] {
  const isLarge = rows.length * widthOf(rows) > gridCellsMax
  const grid: string[][] = []
  /** For each column, the number of further rows that a cell above covers. */
  const covered: number[] = []
  for (const { cells } of rows) {
    const line: string[] = []
    const skipCovered = () => {
      while ((covered[line.length] ?? 0) > 0) {
        covered[line.length] = (covered[line.length] ?? 1) - 1
        line.push('')
      }
    }
    for (const cell of cells) {
      skipCovered()
      const width = isLarge ? 1 : spanOf(cell, 'colspan')
      const height = isLarge ? 1 : spanOf(cell, 'rowspan')
      const text = textOf(cell)
      for (let column = 0; column < width; column++) {
        if (height > 1) covered[line.length] = height - 1
        line.push(column === 0 ? text : '')
      }
    }
    skipCovered()
    grid.push(line)
  }
  return dropEmpty(grid)
}

function widthOf(rows: readonly TableRow[]): number {
  let width = 0
  for (const { cells } of rows) {
    let sum = 0
    for (const cell of cells) sum += spanOf(cell, 'colspan')
    width = Math.max(width, sum)
  }
  return width
}

function spanOf(cell: Element, name: 'colspan' | 'rowspan'): number {
  const span = Number.parseInt(cell.getAttribute(name) ?? '1', 10)
  return span >= 1 ? Math.min(span, spanMax) : 1
}

/** Leaves out columns and rows without any text: they are there for distance. */
function dropEmpty(grid: string[][]): string[][] {
  const used = new Set<number>()
  for (const line of grid) {
    line.forEach((text, column) => {
      if (text !== '') used.add(column)
    })
  }
  const width = grid.reduce((most, line) => Math.max(most, line.length), 0)
  if (used.size === width) return grid
  return grid.map((line) => line.filter((_, column) => used.has(column)))
}

import { type Element, isElement, type Node, nextNode } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import type { Alignment, Block } from './block-tree.ts'
import { classOf, isSpace, styleOf } from './element-kinds.ts'
import { codeSpan } from './escape-markdown.ts'
import { listRows, type TableRow, toGrid } from './table-rows.ts'

const codeTable =
  /(?:^|\s)(?:highlighttable|rouge-table|lntable|hljs-ln|codehilitetable|crayon-table|js-file-line-container|highlight-table)(?:\s|$)/
const codeCell =
  /(?:^|\s)(?:gutter|linenos|blob-(?:num|code)|rouge-gutter|hljs-ln-(?:numbers|code)|crayon-nums|lntd)(?:\s|$)/

/** Whether a table only sets line numbers beside code. */
export function isCodeTable(table: Element): boolean {
  if (codeTable.test(classOf(table))) return true
  const [row] = listRows(table)
  return row?.cells.some((cell) => codeCell.test(classOf(cell))) ?? false
}

const layoutNames = wordSet(
  'table h1 h2 h3 h4 h5 h6 pre hr form article section iframe video figure blockquote',
)
const searchedMax = 20_000

/** Whether a table arranges parts of the page rather than facts. */
export function isLayoutTable(table: Element, rows: readonly TableRow[]): boolean {
  const role = table.getAttribute('role')
  if (role === 'presentation' || role === 'none') return true
  if (role === 'table' || role === 'grid') return false
  const hasHead = rows.some(
    (row) => row.isHead || row.cells.some(({ localName }) => localName === 'th'),
  )
  if (hasHead || hasChild(table, 'caption')) return isMailColumn(rows)
  const columns = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  if (columns <= 1 || rows.length === 1) return true
  const isBare = ['border', 'cellpadding', 'cellspacing'].every(
    (name) => table.getAttribute(name) === '0',
  )
  return isBare || holdsParts(table)
}

/** A table of one cell is never data, whatever it calls the cell. */
const isMailColumn = (rows: readonly TableRow[]): boolean =>
  rows.every(({ cells }) => cells.length <= 1) && rows.length <= 1

function hasChild(element: Element, name: string): boolean {
  for (let child = element.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === name) return true
  }
  return false
}

function holdsParts(table: Element): boolean {
  let node: Node | null = nextNode(table, table)
  for (let seen = 0; node && seen < searchedMax; seen++, node = nextNode(node, table)) {
    if (isElement(node) && layoutNames.has(node.localName)) return true
  }
  return false
}

/** A table of facts as a block, or undefined if no cell has any text. */
export function toTable(
  rows: readonly TableRow[],
  blocksOf: (cell: Element) => Block[],
): Block | undefined {
  const lines = toGrid(rows, (cell) => cellText(blocksOf(cell)))
  const hasText = (line: string[]) => line.some((text) => text !== '')
  const kept = rows
    .map((row, at) => ({ row, line: lines[at] ?? [] }))
    .filter(({ line }) => hasText(line))
  const [first] = kept
  if (!first) return undefined
  const isHeadFirst = isHeadRow(first.row, kept[1]?.row)
  const body = kept.map(({ line }) => line)
  const width = body.reduce((most, line) => Math.max(most, line.length), 0)
  const head = isHeadFirst ? (body.shift() ?? []) : []
  const isPlain = isHeadFirst && first.row.cells.every(isBold)
  const names = isPlain ? head.map((text) => text.replace(/^\*\*(.*)\*\*$/, '$1')) : head
  while (names.length < width) names.push('')
  return { kind: 'table', rows: [names, ...body], alignments: alignmentsOf(first.row, width) }
}

/** The first row is a heading if it says so, or if it alone is bold. */
function isHeadRow(row: TableRow, next: TableRow | undefined): boolean {
  const shown = row.cells.filter((cell) => !isBlankCell(cell))
  if (row.isHead || shown.every(({ localName }) => localName === 'th')) return true
  return next !== undefined && shown.every(isBold) && !next.cells.every(isBold)
}

const isBlankCell = (cell: Element): boolean =>
  !cell.firstElementChild && isSpace(cell.textContent ?? '')

function isBold(cell: Element): boolean {
  let element: Element = cell
  for (let level = 0; level < 4; level++) {
    const only = onlyElement(element)
    if (!only) return false
    if (only.localName === 'b' || only.localName === 'strong') return true
    element = only
  }
  return false
}

function onlyElement(element: Element): Element | undefined {
  let only: Element | undefined
  for (let child = element.firstChild; child; child = child.nextSibling) {
    if (!isElement(child)) {
      if (!isSpace(child.nodeValue ?? '')) return undefined
    } else if (only) return undefined
    else only = child
  }
  return only
}

function alignmentsOf(row: TableRow, width: number): Alignment[] {
  const alignments: Alignment[] = row.cells.map((cell) => {
    const style = /text-align\s*:\s*(left|center|right)/.exec(styleOf(cell).slice(0, 500))?.[1]
    return [style, cell.getAttribute('align')].find(isAlignment)
  })
  const hasSpans = row.cells.some((cell) => cell.hasAttribute('colspan'))
  return hasSpans || alignments.length !== width
    ? Array<Alignment>(width).fill(undefined)
    : alignments
}

const isAlignment = (value: string | null | undefined): value is 'left' | 'center' | 'right' =>
  value === 'left' || value === 'center' || value === 'right'

/** The blocks of a cell in one line, which is all that a table row has. */
function cellText(blocks: readonly Block[]): string {
  return blocks
    .flatMap(cellLines)
    .filter((line) => line !== '')
    .join('<br>')
    .replaceAll(/\s*\n/g, '<br>')
    .replaceAll('|', '\\|')
}

function cellLines(block: Block): string[] {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return [block.text]
    case 'code':
      return block.text.split('\n').map((line) => (isSpace(line) ? '' : codeSpan(line.trim())))
    case 'quote':
    case 'footnote':
      return block.blocks.flatMap(cellLines)
    case 'list':
      return block.items.map((item, at) => {
        const sign = block.start === undefined ? '-' : `${block.start + at}.`
        return `${sign} ${item.blocks.flatMap(cellLines).join(' ')}`
      })
    case 'table':
      return block.rows.map((row) =>
        row
          .filter((text) => text !== '')
          .join(' ')
          .replaceAll('\\|', '|'),
      )
    case 'rule':
      return []
  }
}

import { codeFence } from '../code-fence.ts'
import type { Alignment, Block, ListItem } from './block-tree.ts'

/** Writes blocks as markdown with one line break at the end; nothing for no blocks. */
export function renderBlocks(blocks: readonly Block[]): string {
  const lines = linesOf(blocks)
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function linesOf(blocks: readonly Block[], isTight = false): string[] {
  const lines: string[] = []
  let isSecondList = false
  blocks.forEach((block, at) => {
    const previous = blocks[at - 1]
    if (previous && !isTight) lines.push('')
    isSecondList = block.kind === 'list' && isSameKind(block, previous) && !isSecondList
    for (const line of renderBlock(block, isSecondList)) lines.push(line)
  })
  return lines
}

const isSameKind = (list: Block & { kind: 'list' }, previous: Block | undefined): boolean =>
  previous?.kind === 'list' && (previous.start === undefined) === (list.start === undefined)

function renderBlock(block: Block, isSecondList: boolean): string[] {
  switch (block.kind) {
    case 'paragraph':
      return block.text.split('\n')
    case 'heading':
      return [`${'#'.repeat(block.level)} ${block.text.replace(/(^|\s)(#+)$/, '$1\\$2')}`]
    case 'code':
      return renderCode(block.text, block.language)
    case 'quote':
      return linesOf(block.blocks).map((line) => (line === '' ? '>' : `> ${line}`))
    case 'list':
      return renderList(block.items, block.start, isSecondList)
    case 'table':
      return renderTable(block.rows, block.alignments)
    case 'rule':
      return ['---']
    case 'footnote':
      return indent(linesOf(block.blocks), `[^${block.label}]: `, '    ')
  }
}

function renderCode(text: string, language: string): string[] {
  const fence = codeFence(text)
  return [`${fence}${language}`, ...text.split('\n'), fence]
}

/** Two lists in a row would be one list, so that the second has other signs. */
function renderList(
  items: readonly ListItem[],
  start: number | undefined,
  isSecond: boolean,
): string[] {
  const isTight = items.every(isTightItem)
  const lines: string[] = []
  items.forEach(({ isDone, blocks }, at) => {
    const sign =
      start === undefined ? (isSecond ? '*' : '-') : `${start + at}${isSecond ? ')' : '.'}`
    const task = isDone === undefined ? '' : isDone ? '[x] ' : '[ ] '
    if (at > 0 && !isTight) lines.push('')
    const content = linesOf(blocks, isTight)
    const rest = ' '.repeat(sign.length + 1)
    for (const line of indent(content, `${sign} ${task}`, rest)) lines.push(line)
  })
  return lines
}

/** Text, and lists behind it that may follow without an empty line. */
function isTightItem({ blocks }: ListItem): boolean {
  const [first, ...others] = blocks
  if (others.length === 0) return first?.kind !== 'code' && first?.kind !== 'table'
  return (
    first?.kind === 'paragraph' &&
    others.length === 1 &&
    others.every(
      (other) =>
        other.kind === 'list' && (other.start ?? 1) === 1 && other.items.every(isTightItem),
    )
  )
}

function indent(lines: readonly string[], first: string, rest: string): string[] {
  if (lines.length === 0) return [first.trimEnd()]
  return lines.map((line, at) => (at === 0 ? first + line : line === '' ? '' : rest + line))
}

const delimiters = { left: ':--', center: ':-:', right: '--:' }

/** Rows beyond this many cells are not filled up with empty ones, which a parser adds by itself. */
const filledCellsMax = 200_000

function renderTable(rows: readonly string[][], alignments: readonly Alignment[]): string[] {
  const [head = [], ...body] = rows
  const isFilled = rows.length * head.length <= filledCellsMax
  const toLine = (cells: readonly string[]) => {
    const missing = isFilled ? Math.max(0, head.length - cells.length) : 0
    return `| ${cells.concat(Array<string>(missing).fill('')).join(' | ')} |`
  }
  const delimiter = head.map((_, column) => {
    const alignment = alignments[column]
    return alignment ? delimiters[alignment] : '---'
  })
  return [toLine(head), toLine(delimiter), ...body.map(toLine)]
}

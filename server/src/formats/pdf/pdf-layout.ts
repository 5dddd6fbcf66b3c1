/** A piece of text as a PDF places it: PDFs know positions and fonts, not words or paragraphs. */
export interface PdfItem {
  text: string
  /** Of the lower left corner, in points from the lower left of the page. */
  x: number
  y: number
  width: number
  /** The size of the font. */
  size: number
  isLineEnd: boolean
}

export interface PdfLink {
  url: string
  left: number
  bottom: number
  right: number
  top: number
}

export interface PdfPage {
  items: PdfItem[]
  links: PdfLink[]
}

export interface PdfBlock {
  kind: 'heading' | 'paragraph' | 'item'
  /** 1 to 3, of a heading. */
  level: number
  /** In the order of reading; a part may be a link. */
  parts: { text: string; url?: string }[]
}

interface Line {
  parts: { text: string; url?: string }[]
  x: number
  right: number
  y: number
  size: number
}

/** Puts the pieces of each page together to lines, and the lines to headings, items and paragraphs. */
export function layOut(pages: readonly PdfPage[]): PdfBlock[][] {
  const pageLines = withoutRunningLines(pages.map((page) => toLines(page)))
  const bodySize = mostCommonSize(pageLines.flat())
  const headingSizes = listHeadingSizes(pageLines.flat(), bodySize)
  return pageLines.map((lines) => toBlocks(lines, bodySize, headingSizes))
}

/** Pieces that stand on one line at the same height; the order is the file's, as columns need it. */
function toLines({ items, links }: PdfPage): Line[] {
  const lines: Line[] = []
  let line: Line | undefined
  for (const item of items) {
    if (item.text !== '') {
      if (!line || !isOnLine(line, item)) {
        line = { parts: [], x: item.x, right: item.x, y: item.y, size: item.size }
        lines.push(line)
      }
      addTo(line, item, links)
    }
    if (item.isLineEnd) line = undefined
  }
  return lines.filter((one) => textOf(one) !== '')
}

/**
 * Leaves out the headers, footers and page numbers that stand on most pages: the same first or last
 * lines but for their numbers.
 */
function withoutRunningLines(pages: Line[][]): Line[][] {
  const counts = new Map<string, number>()
  for (const lines of pages) {
    for (const key of new Set(edgesOf(lines).map(runningKey))) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const least = Math.max(3, pages.length / 2)
  return pages.map((lines) => {
    const edges = new Set(edgesOf(lines))
    return lines.filter((line) => !edges.has(line) || (counts.get(runningKey(line)) ?? 0) < least)
  })
}

const edgesOf = (lines: Line[]): Line[] => [...lines.slice(0, 2), ...lines.slice(2).slice(-2)]

const runningKey = (line: Line): string =>
  `${textOf(line).replace(/\d+/g, '#')} ${Math.round(line.y)}`

const isOnLine = (line: Line, item: PdfItem): boolean =>
  Math.abs(item.y - line.y) < 0.5 * Math.max(line.size, item.size, 1) &&
  // A piece far to the left begins a new line, however little it is lower.
  item.x > line.right - 2 * Math.max(line.size, 1)

function addTo(line: Line, item: PdfItem, links: PdfLink[]): void {
  const gap = item.x - line.right
  const last = line.parts.at(-1)
  const isApart = last !== undefined && gap > 0.15 * item.size && !/\s$/.test(last.text)
  const text = isApart && !/^\s/.test(item.text) ? ` ${item.text}` : item.text
  const url = item.text.trim() === '' ? undefined : linkAt(item, links)
  if (last && last.url === url) last.text += text
  else line.parts.push(url === undefined ? { text } : { text, url })
  line.right = Math.max(line.right, item.x + item.width)
  if (item.text.trim() !== '') line.size = Math.max(line.size, item.size)
}

/** The link whose area contains the middle of the piece. */
function linkAt(item: PdfItem, links: PdfLink[]): string | undefined {
  const [x, y] = [item.x + item.width / 2, item.y + item.size / 3]
  return links.find(({ left, right, bottom, top }) => {
    return x >= left && x <= right && y >= bottom - 1 && y <= top + 1
  })?.url
}

const textOf = (line: Line): string =>
  line.parts
    .map(({ text }) => text)
    .join('')
    .trim()

const rounded = (size: number): number => Math.round(size * 2) / 2

/** The size in which most letters are set is that of the running text. */
function mostCommonSize(lines: Line[]): number {
  const letters = new Map<number, number>()
  for (const line of lines) {
    const size = rounded(line.size)
    letters.set(size, (letters.get(size) ?? 0) + textOf(line).length)
  }
  const [most] = [...letters].sort(([, a], [, b]) => b - a)
  return most?.[0] ?? 0
}

/** The sizes of headings, the largest first: clearly above the running text, on short lines. */
function listHeadingSizes(lines: Line[], bodySize: number): number[] {
  const sizes = lines
    .filter((line) => isHeadingLine(line, bodySize))
    .map(({ size }) => rounded(size))
  return [...new Set(sizes)].sort((a, b) => b - a)
}

const headingCharactersMax = 200

const isHeadingLine = (line: Line, bodySize: number): boolean =>
  rounded(line.size) >= bodySize * 1.15 &&
  textOf(line).length <= headingCharactersMax &&
  /\p{L}/u.test(textOf(line))

function toBlocks(lines: Line[], bodySize: number, headingSizes: number[]): PdfBlock[] {
  const blocks: PdfBlock[] = []
  let previous: Line | undefined
  for (const line of lines) {
    const level = isHeadingLine(line, bodySize)
      ? Math.min(3, headingSizes.indexOf(rounded(line.size)) + 1)
      : 0
    const kind = level > 0 ? 'heading' : bullet.test(textOf(line)) ? 'item' : 'paragraph'
    const block = blocks.at(-1)
    if (block && previous && kind !== 'item' && isContinued(block, kind, level, previous, line)) {
      join(block, line)
    } else blocks.push({ kind, level, parts: line.parts.map((part) => ({ ...part })) })
    previous = line
  }
  return blocks
}

/** The marks that begin an item of a list. */
export const bullet = /^(?:[•‣▪●○◦–]|[-*](?=\s))\s*/u

/** A line goes on with the block above where it follows at the usual distance. */
function isContinued(
  block: PdfBlock,
  kind: PdfBlock['kind'],
  level: number,
  previous: Line,
  line: Line,
): boolean {
  const size = Math.max(previous.size, line.size)
  const distance = previous.y - line.y
  if (distance < 0 || distance > 1.7 * size) return false
  if (kind === 'heading') return block.kind === 'heading' && block.level === level
  return block.kind !== 'heading' && Math.abs(previous.size - line.size) < 0.2 * size
}

/** A word that a hyphen divides at the end of a line is one word. */
function join(block: PdfBlock, line: Line): void {
  const last = block.parts.at(-1)
  const [first, ...others] = line.parts
  if (!last || !first) return
  const isDivided = /\p{Ll}-$/u.test(last.text.trimEnd()) && /^\s*\p{Ll}/u.test(first.text)
  last.text = isDivided ? last.text.trimEnd().slice(0, -1) : `${last.text.trimEnd()} `
  if (last.url === first.url) last.text += first.text.trimStart()
  else block.parts.push({ ...first })
  block.parts.push(...others.map((part) => ({ ...part })))
}

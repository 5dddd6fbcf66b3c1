import type { Nodes, Root, Table } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'

/** What a markdown text consists of, as a parser of CommonMark and GitHub's extensions reads it. */
export interface MarkdownContent {
  words: string[]
  headings: string[]
  /** Code with and without its language, so that a wrong language costs half. */
  code: string[]
  cells: string[]
  links: string[]
  images: string[]
  /** Kind and first words of each block, in the order of the page. */
  blocks: string[]
}

const parse = (markdown: string): Root =>
  fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })

interface TitledText {
  title: string[]
  words: string[]
}

/** The words of a markdown text, those of its title apart. */
export function readText(markdown: string): TitledText {
  const root = parse(markdown)
  const [first] = root.children
  if (first?.type !== 'heading') return { title: [], words: wordsOf(textOf(root)) }
  const text = textOf({ ...root, children: root.children.slice(1) })
  return { title: wordsOf(textOf(first)), words: wordsOf(text) }
}

/** The words of a plain text without those of its title, which only some texts begin with. */
export function wordsWithoutTitle(text: string, title: readonly string[]): string[] {
  const words = wordsOf(text)
  const isTitled = title.length > 0 && title.every((word, at) => words[at] === word)
  return isTitled ? words.slice(title.length) : words
}

export function readMarkdown(markdown: string): MarkdownContent {
  const root = parse(markdown)
  const content: MarkdownContent = {
    words: wordsOf(textOf(root)),
    headings: [],
    code: [],
    cells: [],
    links: [],
    images: [],
    blocks: [],
  }
  collect(root, content)
  return content
}

function collect(node: Nodes, content: MarkdownContent): void {
  const text = () => normalise(textOf(node))
  if (node.type === 'heading') content.headings.push(`${node.depth} ${text()}`)
  if (node.type === 'code')
    content.code.push(node.value.trim(), `${node.lang ?? ''}\n${node.value.trim()}`)
  if (node.type === 'table') content.cells.push(...cellsOf(node))
  if (node.type === 'link') content.links.push(`${node.url} ${text()}`)
  if (node.type === 'image') content.images.push(node.url)
  if (isCounted(node)) content.blocks.push(`${node.type} ${text().slice(0, 40)}`)
  if ('children' in node && node.type !== 'table') {
    for (const child of node.children) collect(child, content)
  } else if (node.type === 'table') {
    for (const row of node.children)
      for (const cell of row.children) for (const one of cell.children) collect(one, content)
  }
}

const countedKinds = new Set([
  'heading',
  'paragraph',
  'code',
  'table',
  'listItem',
  'blockquote',
  'footnoteDefinition',
])
const isCounted = (node: Nodes): boolean => countedKinds.has(node.type)

const cellsOf = (table: Table): string[] =>
  table.children
    .flatMap((row) => row.children.map((cell) => normalise(textOf(cell))))
    .filter((cell) => cell !== '')

const blockKinds = new Set(['paragraph', 'heading', 'code', 'tableCell', 'listItem', 'break'])

/** The text of a node; blocks are apart by a space, and HTML counts as nothing. */
function textOf(node: Nodes | Root): string {
  if (node.type === 'html') return /^<br/i.test(node.value) ? ' ' : ''
  if (node.type === 'break') return ' '
  if (node.type === 'footnoteReference') return `[${node.label ?? node.identifier}]`
  if (node.type === 'code') return `${node.value} `
  if ('value' in node) return node.value
  if (!('children' in node)) return ''
  const inner = node.children.map(textOf).join('')
  return blockKinds.has(node.type) ? `${inner} ` : inner
}

const normalise = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Words, and single characters of scripts that write no spaces. */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu

const wordsOf = (text: string): string[] => text.toLowerCase().match(word) ?? []

import { collapseSpace } from '../dom/collapse-space.ts'
import { bullet, type PdfBlock } from './pdf-layout.ts'

/** The blocks of each page as plain text; a form feed divides pages in text, as is the custom. */
export function pdfText(pages: readonly PdfBlock[][]): string {
  const texts = pages.map((blocks) => blocks.map(blockText).join('\n\n'))
  return `${texts.join('\n\n\f').trim()}\n`
}

/** The blocks of each page as markdown; a rule divides pages. */
export function pdfMarkdown(pages: readonly PdfBlock[][]): string {
  const texts = pages.map(pageMarkdown).filter((text) => text !== '')
  return `${texts.join('\n\n---\n\n')}\n`
}

function pageMarkdown(blocks: PdfBlock[]): string {
  let markdown = ''
  let previous: PdfBlock | undefined
  for (const block of blocks) {
    const text = blockMarkdown(block)
    if (text === '') continue
    const isList = block.kind === 'item' && previous?.kind === 'item'
    markdown += markdown === '' ? text : `${isList ? '\n' : '\n\n'}${text}`
    previous = block
  }
  return markdown
}

const blockText = ({ parts }: PdfBlock): string =>
  collapseSpace(parts.map(({ text }) => text).join(''))

function blockMarkdown(block: PdfBlock): string {
  const text = collapseSpace(block.parts.map(partMarkdown).join(''))
  if (text === '') return ''
  if (block.kind === 'heading') return `${'#'.repeat(block.level)} ${text}`
  // The mark of the item may have been escaped.
  return block.kind === 'item' ? `- ${text.replace(/^\\(?=[-*])/, '').replace(bullet, '')}` : text
}

function partMarkdown({ text, url }: { text: string; url?: string }): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? []
  if (url === undefined || inner === '') return escaped(text)
  return `${before}[${escaped(inner)}](<${url.replace(/[<>]/g, encodeURIComponent)}>)${after}`
}

/** Keeps text from being read as markup. A number at its start may make it a list: it often is one. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|~&]/g, '\\$&')

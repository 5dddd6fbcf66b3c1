import { type Element, isElement, nextNode, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import type { Block } from './block-tree.ts'
import { classOf, isSpace } from './element-kinds.ts'
import { type InlinePiece, openMark } from './inline-writer.ts'

/** Makes a whole line a link. Links in it would nest, so they lose theirs. */
export function linkPieces(pieces: readonly InlinePiece[], url: string): InlinePiece[] {
  const open = { ...openMark('link', url), closeAt: pieces.length + 1 }
  return [open, ...pieces, { kind: 'close', open }]
}

export function hasText(element: Element): boolean {
  for (let node = nextNode(element, element); node; node = nextNode(node, element)) {
    if (node.nodeType === nodeTypes.text && !isSpace(node.nodeValue ?? '')) return true
  }
  return false
}

/** Takes the label off the start of a footnote, where its number stood. */
export function withoutLabel(blocks: Block[], label: string): Block[] {
  const [first, ...others] = blocks
  if (first?.kind !== 'paragraph') return blocks
  // A label has letters, digits and dashes only, which stand for themselves. A number alone stays: it
  // may be the day of a date.
  const forms = [
    `<sup>[[(]?(?:${label}|\\\\?[*†‡§¶])[\\])]?</sup>`,
    `\\*\\*${label}\\*\\*(?=[\\s.:)])`,
    `\\\\?\\[\\s*(?:${label})?\\s*\\\\?\\](?!\\()`,
    `\\(${label}\\)`,
    `${label}(?=\\\\?[.:)])`,
  ]
  const start = new RegExp(`^(?:${forms.join('|')})?(?:\\\\?[.:)]|[\\^↑]|\\s)*`, 'iu')
  // A bold note may have its number inside.
  const raised = new RegExp(`^\\*\\*<sup>[[(]?${label}[\\])]?</sup>\\s*`, 'u')
  const text = first.text.replace(raised, '**').replace(start, '')
  if (text === '') return others
  return [{ kind: 'paragraph', text }, ...others]
}

/** The kind of an alert and its text are one paragraph in GitHub's notation. */
export function joinAlert(blocks: Block[]): Block[] {
  const [kind, text, ...others] = blocks
  if (kind?.kind !== 'paragraph' || text?.kind !== 'paragraph') return blocks
  if (!/^\[!\w+\]$/.test(kind.text)) return blocks
  return [{ kind: 'paragraph', text: `${kind.text}\n${text.text}` }, ...others]
}

const boxParents = wordSet(
  'a div header footer section address nav aside main article li td th dd figcaption',
)
const wordNames = wordSet('b strong i em u s sup sub br wbr font mark abbr')

/**
 * Whether an element only holds elements side by side, such as an author and a date, which a style sheet
 * sets apart although no space is between them. Single letters are the parts of a word.
 */
export function isRowOfBoxes(parent: Element): boolean {
  if (!boxParents.has(parent.localName)) return false
  let boxes = 0
  for (let child = parent.firstChild; child; child = child.nextSibling) {
    if (!isElement(child)) {
      if (child.nodeType === nodeTypes.text && !isSpace(child.nodeValue ?? '')) return false
      continue
    }
    const only = child.firstChild
    const isLetter = only?.nodeType === nodeTypes.text && (only.nodeValue ?? '').trim().length === 1
    if (wordNames.has(child.localName) || (isLetter && child.localName === 'span')) return false
    // Mastodon hides the ends of a long address in spans.
    if (/(?:^|\s)(?:invisible|ellipsis)(?:\s|$)/.test(classOf(child))) return false
    boxes++
  }
  return boxes > 1
}

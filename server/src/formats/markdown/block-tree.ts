/** A block of the markdown that a page becomes. Its `text` is inline markdown, escaped already. */
export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | undefined; items: ListItem[] }
  | { kind: 'table'; rows: string[][]; alignments: Alignment[] }
  | { kind: 'rule' }
  | { kind: 'footnote'; label: string; blocks: Block[] }

export interface ListItem {
  /** Whether the task is done; undefined for an item that is no task. */
  isDone: boolean | undefined
  blocks: Block[]
}

export type Alignment = 'left' | 'center' | 'right' | undefined

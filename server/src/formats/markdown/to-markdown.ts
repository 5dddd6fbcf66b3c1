import type { Document, Element } from '../dom/dom.ts'
import { findPageParts } from './page-parts.ts'
import { renderBlocks } from './render-blocks.ts'
import { BlockWalk } from './walk-blocks.ts'

/**
 * Markdown (CommonMark with GitHub's extensions) of a part of a page. The same part gives the same
 * bytes; the text ends with one line break, or is empty. The document is not changed; it is given where
 * the part is a copy, as its notes may stand elsewhere.
 */
export function toMarkdown(root: Element, baseUrl: string, document?: Document): string {
  const page = findPageParts(root, baseUrl, document)
  const walk = new BlockWalk(page)
  walk.root(root)
  for (const definition of page.footnotes.outside) walk.definition(definition)
  // Notes in the margin may refer to further ones, which come behind them.
  for (const { label, element } of page.sidenotes) walk.note(label, element)
  return renderBlocks(walk.blocks)
}

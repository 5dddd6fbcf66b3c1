import { Element } from '../dom/dom.ts'
import type { PageDocument } from '../dom/page-document.ts'
import { adoptLead, adoptNotes } from './adopt-lead-and-notes.ts'
import { chooseRoot } from './choose-root.ts'
import { cloneVisible } from './clone-visible.ts'
import { type ContentFacts, readContentFacts } from './content-facts.ts'
import { findTitle } from './find-title.ts'
import { pruneArticle } from './prune-article.ts'
import { removeSurroundings } from './remove-surroundings.ts'
import { measure, type TextStats } from './text-mass.ts'

/** A copy with the page's own structure, whose root is a block; nobody may change it. */
export interface MainContent {
  root: Element
  /** The heading that repeats the page's title. The metadata has the title, so `text` omits it. */
  title: Element | undefined
}

/**
 * Selects the part of a page for which people come: the article, the thread, the product, the list.
 * It is empty only if the page has no text.
 */
export function selectMainContent(page: PageDocument): MainContent {
  const { document } = page
  const { body } = document
  if (!body) return { root: new Element('body'), title: undefined }
  const facts = readContentFacts(page)
  let best: (MainContent & { chars: number }) | undefined
  for (const attempt of attempts) {
    const { root, title } = select(cloneVisible(body, attempt), facts, attempt)
    const stats = measure(root)
    const titleChars = (title && stats.get(title)?.chars) ?? 0
    const chars = (stats.get(root)?.chars ?? 0) - titleChars
    if (!best || chars > best.chars * 2) best = { root, title, chars }
    if (best.chars >= charsEnough) break
  }
  const root = best?.root ?? new Element('body')
  return { root: asBlock(root), title: best?.title }
}

const blocks = new Set(['body', 'main', 'article', 'section', 'div'])

/** A cell or an inline element would give its content another meaning. */
function asBlock(root: Element): Element {
  if (blocks.has(root.localName)) return root
  const block = new Element('div')
  while (root.firstChild) block.appendChild(root.firstChild)
  return block
}

/** With less text, the next attempt removes less. */
const charsEnough = 150

interface Attempt {
  withHidden: boolean
  withSurroundings: boolean
}

const attempts: readonly Attempt[] = [
  { withHidden: false, withSurroundings: false },
  { withHidden: true, withSurroundings: false },
  { withHidden: true, withSurroundings: true },
]

function select(whole: Element, facts: ContentFacts, { withSurroundings }: Attempt): MainContent {
  const title = findTitle(whole, facts)
  if (!withSurroundings) removeSurroundings(whole, measure(whole), title, facts)
  const stats = measure(whole)
  const root = chooseRoot(whole, stats, title, facts)
  adoptLead(whole, root, title, stats)
  adoptNotes(whole, root, stats)
  const isProse = isMostlyProse(stats.get(root))
  if (isProse) pruneArticle(root, title, facts)
  const isInside = title !== undefined && root.contains(title)
  if (title && !isInside) root.insertBefore(title, root.firstChild)
  // In a list or a table the heading is part of what people came for.
  return { root, title: isProse || !isInside ? title : undefined }
}

const isMostlyProse = (stats: TextStats | undefined): boolean =>
  stats !== undefined && stats.paragraphs > 0 && stats.prose >= 0.5 * stats.chars

import { type Element, isElement } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import type { ContentFacts } from './content-facts.ts'
import { readHints } from './name-hints.ts'
import type { StatsOf, TextStats } from './text-mass.ts'

/** A child is entered when it holds this share of the text; less is enough if its name says so. */
const shareMin = 0.85
const namedShareMin = 0.6
/** With the title inside, the rest may be other articles and what readers wrote. */
const titledShareMin = 0.25
/** Pages that load the next articles below show many of them. */
const titledArticleShareMin = 0.08
const titledMassMin = 250

/** Follows the heaviest child from the body downwards, as long as it holds most of the text. */
export function chooseRoot(
  start: Element,
  stats: StatsOf,
  title: Element | undefined,
  facts: ContentFacts,
): Element {
  let root = start
  for (;;) {
    const next =
      root.localName === 'table' ? layoutCell(root, stats) : chooseChild(root, stats, title)
    if (!next || leaves.has(next.localName)) return root
    // The pictures of a product stand beside its description.
    if (facts.isProduct && hasFiguresBeside(root, next, stats)) return root
    root = next
  }
}

const leaves = wordSet('p li pre blockquote ul ol dl figure dd h1 h2 h3 h4 h5 h6 tr tbody thead')

/** The cell that holds most of a table which only arranges the page. */
function layoutCell(table: Element, stats: StatsOf): Element | undefined {
  const massMin = mass(stats.get(table)) * shareMin
  let cell: Element | undefined = table
  while (cell && cell.localName !== 'td') cell = heaviestChild(cell, stats)
  const own = cell && stats.get(cell)
  return own && own.paragraphs > 1 && mass(own) >= massMin ? cell : undefined
}

/** Whether a part of the element without the child has figures but is no list of other things. */
function hasFiguresBeside(root: Element, child: Element, stats: StatsOf): boolean {
  for (let node = root.firstChild; node; node = node.nextSibling) {
    const own = stats.get(node)
    if (node !== child && own && own.figures > 0 && own.linkChars < 50) return true
  }
  return false
}

function chooseChild(
  root: Element,
  stats: StatsOf,
  title: Element | undefined,
): Element | undefined {
  const total = mass(stats.get(root)) || 1
  const titled = title && childWith(root, title)
  const titledMass = titled ? mass(stats.get(titled)) : 0
  const titledMin = titled?.localName === 'article' ? titledArticleShareMin : titledShareMin
  const isTitledEnough = titledMass > titledMassMin && titledMass >= total * titledMin
  if (titled && isTitledEnough && isNamedContent(titled)) return titled
  const best = heaviestChild(root, stats)
  if (!best || readHints(best).isAppendix || isSection(best, title)) return undefined
  const share = mass(stats.get(best)) / total
  if (isCodeAmongText(best, root, stats)) return undefined
  if (share >= shareMin) return best
  if (share < namedShareMin || isArticleBody(root) || !isNamedContent(best)) return undefined
  return looseProse(root, best, stats) > 0.05 * total ? undefined : best
}

/** Whether a heading of its own stands before the child. */
function isSection(child: Element, title: Element | undefined): boolean {
  const before = child.previousElementSibling
  return before !== null && before !== title && /^h[2-6]$/.test(before.localName)
}

/** A long listing is not the content without the sentences around it. */
function isCodeAmongText(best: Element, root: Element, stats: StatsOf): boolean {
  const inside = stats.get(best)
  if (!inside || inside.code <= 0.7 * inside.prose) return false
  if ((stats.get(root)?.paragraphs ?? 0) > inside.paragraphs) return true
  for (let node = root.firstElementChild; node; node = node.nextElementSibling) {
    if (node.localName === 'p' && (stats.get(node)?.chars ?? 0) > 0) return true
  }
  return false
}

/** How much text an element has; short texts such as labels count for less than sentences. */
const mass = (stats: TextStats | undefined): number =>
  stats ? stats.prose + 0.3 * Math.max(0, stats.chars - stats.linkChars - stats.prose) : 0

/** The sentences that stand beside the child, in no container of their own. */
function looseProse(root: Element, best: Element, stats: StatsOf): number {
  let prose = 0
  for (let node = root.firstChild; node; node = node.nextSibling) {
    if (!isElement(node) || node === best) continue
    const isText = node.localName === 'p' || (node.localName === 'div' && !node.firstElementChild)
    if (isText) prose += stats.get(node)?.prose ?? 0
  }
  return prose
}

function childWith(root: Element, inner: Element): Element | undefined {
  let node: Element | null = inner
  while (node && node.parentNode !== root) node = node.parentElement
  return node ?? undefined
}

function isNamedContent(element: Element): boolean {
  if (element.localName === 'article' || element.localName === 'main') return true
  if (element.getAttribute('role') === 'main') return true
  return element.getAttribute('itemprop') === 'articleBody' || readHints(element).isContent
}

const isArticleBody = (element: Element): boolean =>
  element.getAttribute('itemprop') === 'articleBody' || readHints(element).isBody

function heaviestChild(root: Element, stats: StatsOf): Element | undefined {
  let best: Element | undefined
  let most = 0
  for (let node = root.firstChild; node; node = node.nextSibling) {
    if (!isElement(node)) continue
    const own = mass(stats.get(node))
    if (own <= most) continue
    most = own
    best = node
  }
  return best
}

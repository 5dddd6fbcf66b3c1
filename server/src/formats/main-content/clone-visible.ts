import { createText, Element, findElement, isElement, type Node, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { readHints } from './name-hints.ts'

const textless = wordSet(
  'style template head link meta base object embed applet canvas dialog datalist select textarea',
)

/** Copies what a reader sees, without recursion, so that parts can be removed from the copy. */
export function cloneVisible(source: Element, { withHidden = false } = {}): Element {
  const root = source.copy()
  let to: Node = root
  let from: Node | null = source.firstChild
  while (from) {
    const copy = copyIfVisible(from, withHidden)
    if (copy) to.appendChild(copy)
    if (copy && from.firstChild) {
      to = copy
      from = from.firstChild
      continue
    }
    while (from && !from.nextSibling) {
      from = from.parentNode
      if (!from || from === source) return root
      to = to.parentNode ?? root
    }
    from = from?.nextSibling ?? null
  }
  return root
}

function copyIfVisible(node: Node, withHidden: boolean): Node | undefined {
  if (node.nodeType === nodeTypes.text) return createText(node.nodeValue ?? '')
  if (!isElement(node) || textless.has(node.localName)) return undefined
  if (withHidden && node.localName === 'noscript') return new Element('div')
  if (isUnneeded(node)) return undefined
  const isShown = withHidden || !isHiddenByMarkup(node) || isHiddenContent(node)
  return isShown ? node.copy() : undefined
}

/** Of scripts, fields and frames only formulas, late pictures, boxes of task lists and films are kept. */
function isUnneeded(element: Element): boolean {
  switch (element.localName) {
    case 'script':
      return !/^math\//i.test(element.getAttribute('type') ?? '')
    case 'noscript':
      return !hasPicture(element)
    case 'button':
      return !isInHeading(element)
    case 'label':
      return holdsField(element)
    case 'input':
      return element.getAttribute('type')?.toLowerCase() !== 'checkbox'
    case 'iframe':
      return !filmHost.test(element.getAttribute('src') ?? '')
    default:
      return false
  }
}

const headings = wordSet('h1 h2 h3 h4 h5 h6 dt summary')

/** The heading of an accordion is a button; other buttons are controls. */
function isInHeading({ parentElement }: Element): boolean {
  const outer = parentElement?.parentElement
  return headings.has(parentElement?.localName ?? '') || headings.has(outer?.localName ?? '')
}

/** A label around a field names the field, which is not copied. */
function holdsField(label: Element): boolean {
  for (let child = label.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === 'select' || child.localName === 'textarea') return true
  }
  return false
}

/** Whether there is a picture that is not there to count visitors. */
function hasPicture(element: Element): boolean {
  const image = findElement(element, ({ localName }) => localName === 'img')
  if (!image || isHiddenByMarkup(image)) return false
  return !['0', '1'].includes(image.getAttribute('width') ?? image.getAttribute('height') ?? '')
}

const filmHost =
  /^(?:https?:)?\/\/[^/]*(?:youtube|youtu\.be|vimeo|dailymotion|video|player)[^/]*\//i

/** Formulas have copies of which one is hidden; some footnotes show when their mark is pressed. */
function isHiddenContent(element: Element): boolean {
  const { isFormula, isFootnote } = readHints(element)
  return isFormula || isFootnote || element.localName.startsWith('mjx-')
}

/** Whether the markup itself hides the element; style sheets are not read. */
function isHiddenByMarkup(element: Element): boolean {
  if (element.hasAttribute('hidden')) return element.getAttribute('hidden') !== 'until-found'
  if (element.getAttribute('aria-hidden') === 'true') return true
  if (element.className !== '' && screenReaderClass.test(element.className)) return true
  const style = element.getAttribute('style')
  return style !== null && hidingStyle.test(style)
}

const screenReaderClass =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screen-reader|u-hidden-visually|a11y-hidden)(?:\s|$)/i

const hidingStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

import { type Element, isElement, type Node, nextNode, nodeTypes } from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { classOf, styleOf } from './element-kinds.ts'

const names = wordSet(
  'area base canvas col colgroup datalist frame frameset head input link map meta meter noframes optgroup option param progress rp script select source style svg template textarea title track',
)

/**
 * Text that no reader of the page sees (it is for screen readers, or replaced by a script), and the
 * controls that generators add to content: edit links, copy buttons, links back from a footnote.
 */
const classes = new RegExp(
  `(?:^|\\s)(?:${[
    'sr-only',
    'visually-?hidden',
    'screen-reader-(?:text|only)',
    'a11y-hidden',
    'mw-editsection',
    'mw-cite-backlink',
    'mwe-math-fallback-image-(?:inline|display)',
    'MathJax_Preview',
    'footnote-back(?:ref|link)?',
    'footnote-return',
    'reversefootnote',
    'fn-bracket',
    'copy-?(?:btn|button|code|code-button)',
    'btn-clipboard',
    'clipboard-copy',
    'zeroclipboard-container',
    'anchorjs-link',
    'hash-link',
    'headerlink',
    'header-anchor',
    'doc-anchor',
    'octicon',
    'margin-toggle',
    'hideme',
    'code-block-header__language',
  ].join('|')})(?:\\s|$)`,
  'i',
)

const hidingStyle = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

/** Text in an `aria-hidden` element up to this length is an icon or repeats its neighbour. */
const iconTextMax = 120

/** Links back from a footnote, and the labels of tabs, of which only the chosen one is shown. */
const controlRoles = new Set(['doc-backlink', 'tablist'])

/** Whether an element and all it holds is left out of the markdown. */
export function isHidden(element: Element): boolean {
  const name = element.localName
  if (names.has(name)) return !isFormulaSource(element)
  if (name === 'button') return !isPartOfText(element)
  if (name === 'dialog') return !element.hasAttribute('open')
  const hidden = element.getAttribute('hidden')
  if (hidden !== null && hidden !== 'until-found') return !isStreamed(element)
  const className = classOf(element)
  // The formula's source is hidden beside an image of the formula.
  if (className.includes('mwe-math-mathml')) return false
  if (className !== '' && classes.test(className)) return true
  const style = styleOf(element)
  if (style !== '' && hidingStyle.test(style.slice(0, 2000))) return true
  if (controlRoles.has(element.getAttribute('role') ?? '')) return true
  if (element.hasAttribute('data-footnote-backref')) return true
  return element.getAttribute('aria-hidden') === 'true' && isShort(element)
}

/** React streams parts of a page in hidden elements, which a script puts in their place. */
const isStreamed = (element: Element): boolean => /^S:\w+$/.test(element.getAttribute('id') ?? '')

/** MathJax 2 keeps the source of a formula in a script. */
const isFormulaSource = (element: Element): boolean =>
  element.localName === 'script' && (element.getAttribute('type') ?? '').startsWith('math/tex')

const marks = new Set(['em', 'i', 'b', 'strong'])
const textParents = wordSet('h1 h2 h3 h4 h5 h6 dt summary p')

/** An accordion's heading is often only a button, and so is a term that explains itself; others are controls. */
function isPartOfText(button: Element): boolean {
  if (marks.has(button.parentElement?.localName ?? '')) return true
  let element = button
  for (let level = 0; level < 3 && isAlone(element); level++) {
    const parent = element.parentElement
    if (!parent) return false
    if (textParents.has(parent.localName)) return true
    element = parent
  }
  return false
}

/** Whether the parent has no other text. */
function isAlone(element: Element): boolean {
  const parent = element.parentElement
  for (let node = parent?.firstChild ?? null; node; node = node.nextSibling) {
    if (node !== element && node.nodeType === nodeTypes.text && /\S/.test(node.nodeValue ?? ''))
      return false
    if (node !== element && isElement(node) && node.firstChild && !names.has(node.localName))
      return false
  }
  return true
}

function isShort(element: Element): boolean {
  let length = 0
  let node: Node | null = element
  while (node) {
    if (node.nodeType === nodeTypes.text) length += (node.nodeValue ?? '').trim().length
    if (length > iconTextMax) return false
    const isSkipped: boolean = node !== element && isElement(node) && names.has(node.localName)
    node = nextNode(node, element, isSkipped)
  }
  return true
}

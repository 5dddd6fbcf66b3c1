import { parseUrl } from '../../domain/parse-url.ts'
import {
  type Document,
  documentOf,
  type Element,
  isElement,
  type Node,
  nextNode,
} from '../dom/dom.ts'
import { wordSet } from '../word-set.ts'
import { classOf, isSpace } from './element-kinds.ts'
import { pairNumbers } from './numbered-notes.ts'

/** The footnotes of a page: where they are referred to and where they are defined. */
export interface Footnotes {
  /** The label of each reference, by the element that stands for it in the text. */
  references: ReadonlyMap<Element, string>
  definitions: ReadonlyMap<Element, string>
  /** Links from a definition back to the text, and terms that only repeat the label. */
  backlinks: ReadonlySet<Element>
  /** Definitions that lie outside the converted part of the page. */
  outside: readonly Element[]
}

const referenceHref =
  /^#(?:user-content-)?_?(?:fn|ftn|ftnt|footnote|cite_note|endnote|easy-footnote-bottom|sdfootnote|note|en)[-_:.]?\w*/i
const referenceClass =
  /(?:^|\s)(?:footnote(?:-ref|-reference|-anchor|ref|s-ref|-link)?|fnref|fn|noteref|note-ref|reference|sdfootnoteanc|simple-footnote|see-footnote)(?:\s|$)/i
const notesPart =
  /(?:^|\s|-)(?:footnotes?|endnotes?|references|reflist|notes|wp-block-footnotes)(?:\s|$|-)/i
const noteRoles = new Set(['doc-endnotes', 'doc-endnote', 'doc-footnote', 'note'])

/** A raised number is a reference, or it begins a note, as a bold one may. */
const numberNames = new Set(['sup', 'strong', 'b'])

/** Pages with more references than this are made to cost time. */
const referencesMax = 5000
const labelCharactersMax = 12
const definitionElementsMax = 500

/** Pairs the references in `root` with their definitions, wherever those stand in the document. */
export function findFootnotes(
  root: Element,
  pageUrl: string,
  document = documentOf(root),
): Footnotes {
  const ids = new Map<string, Element>()
  const anchors: Element[] = []
  const numbers: Element[] = []
  for (let node: Node | null = root; node; node = nextNode(node, root)) {
    if (!isElement(node)) continue
    for (const id of [
      node.getAttribute('id'),
      node.localName === 'a' && node.getAttribute('name'),
    ]) {
      if (id && !ids.has(id)) ids.set(id, node)
    }
    if (node.localName === 'a' && node.hasAttribute('href')) anchors.push(node)
    if (numberNames.has(node.localName)) numbers.push(node)
  }
  const index = new FootnoteIndex(ids, document)
  for (const anchor of anchors) index.add(anchor, fragmentOf(anchor, pageUrl))
  for (const { reference, definition, label } of pairNumbers(numbers, ids)) {
    index.addPair(reference, definition, label)
  }
  return index
}

/** The fragment of a link within the page. */
function fragmentOf(anchor: Element, pageUrl: string): string | undefined {
  const href = anchor.getAttribute('href') ?? ''
  const hash = href.indexOf('#')
  if (hash === -1 || href.length > 2000) return undefined
  if (hash > 0 && !isSamePage(href.slice(0, hash), pageUrl)) return undefined
  return href.slice(hash)
}

function isSamePage(path: string, pageUrl: string): boolean {
  const url = parseUrl(path, pageUrl)
  return url !== null && url.href === pageUrl.split('#')[0]
}

class FootnoteIndex implements Footnotes {
  readonly references = new Map<Element, string>()
  readonly definitions = new Map<Element, string>()
  readonly backlinks = new Set<Element>()
  readonly outside: Element[] = []
  readonly #ids: Map<string, Element>
  readonly #document: Document | undefined
  /** Elements whose id a link back may have as its target. */
  readonly #origins = new Set<Element>()
  readonly #labels = new Set<string>()

  constructor(ids: Map<string, Element>, document: Document | undefined) {
    this.#ids = ids
    this.#document = document
  }

  add(anchor: Element, fragment: string | undefined): void {
    if (!fragment || this.references.size >= referencesMax) return
    const id = decode(fragment.slice(1))
    const target = this.#ids.get(id)
    if (target && this.#origins.has(target)) {
      this.backlinks.add(anchor)
      return
    }
    const text = labelText(anchor)
    const label = text.replace(/^[[({]+|[\])}]+$/g, '').trim()
    if (!/^[\p{L}\p{N}*†‡§¶][\p{L}\p{N}. -]*$/u.test(label)) return
    const isMarked = isMarkedReference(anchor, fragment)
    const isLikely = isRaised(anchor) || isBracketed(text)
    const found = target ?? this.#findOutside(id)
    const definition = found && definitionOf(found)
    if (!definition || contains(definition, anchor)) return
    // A short link whose target links back is a footnote, whatever the generator calls it.
    const isNoted = isInNotes(definition) || startsWithLabel(definition, label)
    const isProven = isMarked || (isLikely && isNoted)
    if (!isProven && !linksBack(definition, anchor)) return
    this.#register(anchor, definition, label, target === undefined)
    if (found.localName === 'dt') this.backlinks.add(found)
  }

  /** A reference and a definition that have the same number and no links. */
  addPair(reference: Element, definition: Element, label: string): void {
    if (this.references.size < referencesMax && hasOwnText(definition)) {
      this.#register(reference, definition, label, false)
    }
  }

  #register(anchor: Element, definition: Element, label: string, isOutside: boolean): void {
    let known = this.definitions.get(definition)
    if (known === undefined) {
      known = this.#uniqueLabel(label)
      this.definitions.set(definition, known)
      if (isOutside) this.outside.push(definition)
      if (isOutside) this.#dropBacklinks(definition)
    }
    const reference = raisedAround(anchor)
    this.references.set(reference, known)
    for (const origin of [anchor, reference, reference.parentElement]) {
      if (origin) this.#origins.add(origin)
    }
    for (let node = nextNode(reference, reference); node; node = nextNode(node, reference)) {
      if (isElement(node)) this.#origins.add(node)
    }
  }

  /** All short links inside the page that a definition elsewhere has lead back to its references. */
  #dropBacklinks(definition: Element): void {
    for (let node = nextNode(definition, definition); node; node = nextNode(node, definition)) {
      if (!isElement(node) || node.localName !== 'a') continue
      const isInPage = (node.getAttribute('href') ?? '').startsWith('#')
      if (isInPage && labelText(node) !== '') this.backlinks.add(node)
    }
  }

  #uniqueLabel(label: string): string {
    const plain = label
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
    let unique = plain === '' ? String(this.#labels.size + 1) : plain
    for (let copy = 2; this.#labels.has(unique); copy++) unique = `${plain}-${copy}`
    this.#labels.add(unique)
    return unique
  }

  #findOutside(id: string): Element | undefined {
    return this.#document?.getElementById(id) ?? undefined
  }
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** The text of a reference, as far as it can be a label. */
function labelText(anchor: Element): string {
  let text = ''
  for (let node = nextNode(anchor, anchor); node; node = nextNode(node, anchor)) {
    if (!isElement(node)) text += node.nodeValue ?? ''
    if (text.length > labelCharactersMax + 20) return ''
  }
  const label = text.trim()
  return label.length > labelCharactersMax ? '' : label
}

const isMarkedReference = (anchor: Element, fragment: string): boolean =>
  anchor.getAttribute('role') === 'doc-noteref' ||
  anchor.hasAttribute('data-footnote-ref') ||
  ((isRaised(anchor) || isBracketed(labelText(anchor)) || referenceClass.test(classOf(anchor))) &&
    (referenceHref.test(fragment) || referenceClass.test(classOf(anchor))))

const isBracketed = (text: string): boolean => /^\[.*\]$/.test(text)

/** Whether a link is a superscript, from outside or from inside. */
const isRaised = (anchor: Element): boolean =>
  anchor.firstElementChild?.localName === 'sup' ||
  anchor.parentElement?.localName === 'sup' ||
  anchor.parentElement?.parentElement?.localName === 'sup'

const aroundReference = new Set(['sup', 'span', 'small'])

/** The superscript or span that holds only this link, perhaps in brackets, or the link. */
function raisedAround(anchor: Element): Element {
  let reference = anchor
  for (let level = 0; level < 2; level++) {
    const parent = reference.parentElement
    if (!parent || !aroundReference.has(parent.localName) || !holdsOnly(parent, anchor)) break
    reference = parent
  }
  return reference
}

/** Whether an element shows nothing besides `inner` but brackets. */
function holdsOnly(element: Element, inner: Element): boolean {
  for (let node = nextNode(element, element); node; ) {
    if (node === inner) node = nextNode(node, element, true)
    else {
      if (!isElement(node) && !/^[\s[\](),]*$/.test(node.nodeValue ?? '')) return false
      if (isElement(node) && node.localName === 'a' && node.hasAttribute('href')) return false
      node = nextNode(node, element)
    }
  }
  return true
}

const definitionNames = wordSet('li p div aside dd section tr table blockquote td')

/** The block that a reference leads to; its id may be on the block, on a term or on a link in it. */
function definitionOf(target: Element): Element | undefined {
  if (target.localName === 'dt') return target.nextElementSibling ?? undefined
  if (definitionNames.has(target.localName)) return hasOwnText(target) ? target : undefined
  let parent = target.parentElement
  for (let level = 0; parent && level < 4; level++, parent = parent.parentElement) {
    if (definitionNames.has(parent.localName)) return hasOwnText(parent) ? parent : undefined
    if (/^(?:h[1-6]|body|main|article)$/.test(parent.localName)) return undefined
  }
  return undefined
}

/** A whole chapter is no footnote. */
function hasOwnText(element: Element): boolean {
  let elements = 0
  let hasText = false
  for (let node = nextNode(element, element); node; node = nextNode(node, element)) {
    if (
      isElement(node) &&
      (++elements > definitionElementsMax || /^h[1-6]$/.test(node.localName))
    ) {
      return false
    }
    if (!isElement(node) && !isSpace(node.nodeValue ?? '')) hasText = true
  }
  return hasText
}

function contains(element: Element, inner: Element): boolean {
  let node: Node | null = inner
  for (let level = 0; node && level < 2000; level++, node = node.parentNode) {
    if (node === element) return true
  }
  return false
}

/** Whether a definition has a link to the reference, or to what is around or inside it. */
function linksBack(definition: Element, anchor: Element): boolean {
  const ids = new Set<string | null>()
  for (const element of [anchor, anchor.parentElement, anchor.parentElement?.parentElement]) {
    ids.add(element?.getAttribute('id') ?? null)
    ids.add(element?.getAttribute('name') ?? null)
  }
  ids.add(anchor.firstElementChild?.getAttribute('id') ?? null)
  ids.delete(null)
  for (let node = nextNode(definition, definition); node; node = nextNode(node, definition)) {
    if (!isElement(node) || node.localName !== 'a') continue
    const href = node.getAttribute('href') ?? ''
    if (href.includes('#') && ids.has(decode(href.slice(href.indexOf('#') + 1)))) return true
  }
  return false
}

/** Whether a definition starts with its number, which a list may show in place of the text. */
function startsWithLabel(definition: Element, label: string): boolean {
  for (let node = nextNode(definition, definition); node; node = nextNode(node, definition)) {
    const text = isElement(node) ? '' : (node.nodeValue ?? '').trim()
    if (text !== '') return text.startsWith(`[${label}]`) || text.startsWith(`${label}.`)
  }
  return false
}

function isInNotes(definition: Element): boolean {
  let element: Element | null = definition
  for (let level = 0; element && level < 4; level++, element = element.parentElement) {
    const id = element.getAttribute('id') ?? ''
    if (notesPart.test(`${classOf(element)} ${id}`)) return true
    if (noteRoles.has(element.getAttribute('role') ?? '')) return true
  }
  return false
}

import type { Element } from '../dom/dom.ts'

/** Whether the markup itself hides the element; style sheets are not read. */
export function isHiddenByMarkup(element: Element): boolean {
  if (element.hasAttribute('hidden')) return element.getAttribute('hidden') !== 'until-found'
  if (element.getAttribute('aria-hidden') === 'true') return true
  if (element.className !== '' && screenReaderClass.test(element.className)) return true
  const style = element.getAttribute('style')
  return style !== null && hidingStyle.test(style)
}

const screenReaderClass =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screen-reader|u-hidden-visually|a11y-hidden)(?:\s|$)/i

const hidingStyle = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i

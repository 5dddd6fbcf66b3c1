import { compile } from 'css-select'
import { parseXPath } from './xpath/parse-xpath.ts'
import type { XPathExpression } from './xpath/xpath-expression.ts'

export const selectorCharactersMax = 4_096

/** What a rule selects: elements by CSS, perhaps an attribute of them, or whatever an XPath gives. */
export type Selector =
  | { kind: 'css'; css: string; attribute: string | undefined }
  | { kind: 'xpath'; expression: XPathExpression }

/** Reads a CSS selector, with `@attribute` at its end, or an XPath; throws a SyntaxError that says why. */
export function readSelector(text: string): Selector {
  const trimmed = text.trim()
  if (isXPath(trimmed)) return { kind: 'xpath', expression: parseXPath(trimmed) }
  const [, css = '', attribute] = /^(.*?)(?:@([\w:.-]+))?$/s.exec(trimmed) ?? []
  // Inside a nested rule `@href` alone is an attribute of the matched element.
  if (css.trim() !== '' || attribute === undefined) assertCss(css)
  return { kind: 'css', css: css.trim(), attribute: attribute?.toLowerCase() }
}

/** XPath begins with `/`, `./` or `(`; no CSS selector does. */
export const isXPath = (text: string): boolean => /^(?:\/|\.\/|\()/.test(text)

/** The compiler takes quadratic time over levels. */
const nestingMax = 10

/** The compiler accepts some text that no browser does. */
function assertCss(css: string): void {
  if (css.trim() === '') throw new SyntaxError('the selector is empty')
  const { outline, depth } = outlineOf(css)
  if (depth > nestingMax) {
    throw new SyntaxError(`parentheses are nested more than ${nestingMax} levels deep`)
  }
  if (/[>+~]\s*(?:,|$)/.test(outline)) throw new SyntaxError('nothing follows a combinator')
  const foreign = foreignCharacter.exec(outline)?.[0]
  if (foreign) throw new SyntaxError(`unexpected '${foreign}'`)
  try {
    compile(css)
  } catch (error) {
    if (error instanceof Error) throw new SyntaxError(wording(error.message), { cause: error })
    throw error
  }
}

const wording = (message: string): string =>
  message
    .replace(/(?: yet)? supported by css-select$/, ' supported')
    .replace(/found $/, 'found the end')

const foreignCharacter = /[@!$%&;{}<?/^`=]/

/**
 * The selector without escapes, strings, attribute tests and the contents of parentheses, and how deep
 * these are nested. One pass, because selectors come from callers.
 */
function outlineOf(css: string): { outline: string; depth: number } {
  let outline = ''
  let depth = 0
  let level = 0
  let isAttribute = false
  for (let at = 0; at < css.length; at++) {
    const character = css[at] ?? ''
    if (character === '\\') at++
    else if (character === '"' || character === "'") {
      const end = css.indexOf(character, at + 1)
      at = end === -1 ? css.length : end
    } else if (isAttribute) isAttribute = character !== ']'
    else if (character === '[') {
      isAttribute = true
      // Something follows a combinator here.
      if (level === 0) outline += 'x'
    } else if (character === '(') depth = Math.max(depth, ++level)
    else if (character === ')' && level > 0) level--
    else if (level === 0) outline += character
  }
  return { outline, depth }
}

/** What is wrong with a text that a browser is to wait for; undefined for a CSS selector or XPath. */
export function waitSelectorFault(text: string): string | undefined {
  try {
    const selector = readSelector(text)
    const isElement = selector.kind === 'xpath' || selector.attribute === undefined
    return isElement ? undefined : `${expected}: it names an attribute`
  } catch (error) {
    if (error instanceof SyntaxError) return `${expected}: ${error.message}`
    throw error
  }
}

const expected = 'Input should be a CSS selector or an XPath'

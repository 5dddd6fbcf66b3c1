import type { ExtractRule, ExtractRules, RuleOutput } from '../../domain/scrape/extract-rules.ts'
import { readSelector, type Selector } from '../../domain/scrape/selector.ts'
import { type Document, type Element, isElement, type Node } from '../dom/dom.ts'
import type { PageDocument } from '../dom/page-document.ts'
import { toHtml } from '../dom/parse-html.ts'
import { evaluateXPath } from './evaluate-xpath.ts'
import { matchAttribute } from './match-attribute.ts'
import { matchText } from './match-text.ts'
import { readTable, type TableRecord } from './read-table.ts'
import { selectCss } from './select-css.ts'
import { createWorkBudget, type WorkBudget } from './work-budget.ts'
import { isXPathAttribute, XPathDocument, type XPathNode } from './xpath-node.ts'

/** What a rule gives: JSON. */
export type Extracted =
  | null
  | string
  | number
  | boolean
  | TableRecord[]
  | Extracted[]
  | { [name: string]: Extracted }

/** More matches of a list are left out. */
const itemsMax = 10_000

/**
 * Extracts what the rules of a request ask for. They must have been validated. All rules share one
 * budget of work, so that no page makes any of them take long.
 */
export function applyRules(
  page: PageDocument,
  rules: ExtractRules,
  budget: WorkBudget = createWorkBudget(),
): Record<string, Extracted> {
  const xpath = new XPathDocument(page.document, budget)
  return new RuleReader(page, budget, xpath).readAll(rules, page.document)
}

type Scope = Document | Element
/** A match is a node, or the value of an XPath that gives none. */
type Match = XPathNode | string | number | boolean

class RuleReader {
  readonly #page: PageDocument
  readonly #budget: WorkBudget
  readonly #xpath: XPathDocument
  /** Inner rules are applied to each match, but compiled once. */
  readonly #selectors = new Map<string, Selector>()

  constructor(page: PageDocument, budget: WorkBudget, xpath: XPathDocument) {
    this.#page = page
    this.#budget = budget
    this.#xpath = xpath
  }

  readAll(rules: ExtractRules, scope: Scope): Record<string, Extracted> {
    return Object.fromEntries(
      Object.entries(rules).map(([name, rule]) => {
        this.#budget.keep(name.length)
        return [name, this.#read(rule, scope)]
      }),
    )
  }

  #read(rule: ExtractRule, scope: Scope): Extracted {
    const { selector: text, output, type } = typeof rule === 'string' ? { selector: rule } : rule
    const selector = this.#selectorOf(text)
    const isList = type === 'list'
    const attribute = selector.kind === 'css' ? selector.attribute : undefined
    const asked = attribute === undefined ? (output ?? 'text') : `@${attribute}`
    const results: Extracted[] = []
    for (const match of this.#select(selector, scope, isList)) {
      const result = this.#present(match, asked)
      // An element without the attribute is no match.
      if (result === undefined) continue
      if (!isList) return result
      results.push(result)
      if (results.length === itemsMax) break
    }
    return isList ? results : null
  }

  #selectorOf(text: string): Selector {
    const known = this.#selectors.get(text)
    if (known) return known
    const selector = readSelector(text)
    this.#selectors.set(text, selector)
    return selector
  }

  #select(selector: Selector, scope: Scope, isList: boolean): Match[] {
    if (selector.kind === 'xpath') {
      const value = evaluateXPath(selector.expression, scope, this.#xpath)
      return Array.isArray(value) ? value : [value]
    }
    if (selector.css !== '') {
      // The first match may lack the attribute, so all are needed.
      const needsAll = isList || selector.attribute !== undefined
      return selectCss(selector.css, scope, needsAll, this.#budget)
    }
    const self = isElement(scope) ? scope : this.#page.document.documentElement
    return self ? [self] : []
  }

  #present(match: Match, output: RuleOutput): Extracted | undefined {
    if (typeof match === 'number') return Number.isFinite(match) ? match : null
    if (typeof match === 'boolean') return match
    if (typeof match === 'string') return this.#keep(match)
    if (isXPathAttribute(match)) {
      return this.#keep(matchAttribute(match.name, match.value, this.#page.baseUrl))
    }
    if (typeof output === 'string') return this.#presentNode(match, output)
    return isElement(match) ? this.readAll(output, match) : undefined
  }

  #presentNode(node: Node, output: string): Extracted | undefined {
    if (output === 'text' || !isElement(node)) return this.#keep(matchText(node, this.#budget))
    if (output === 'html') return this.#keep(toHtml(node))
    if (output === 'table') return readTable(node, this.#budget)
    const name = output.slice(1).toLowerCase()
    const value = node.getAttribute(name)
    return value === null ? undefined : this.#keep(matchAttribute(name, value, this.#page.baseUrl))
  }

  #keep(text: string): string {
    this.#budget.keep(text.length)
    return text.toWellFormed()
  }
}

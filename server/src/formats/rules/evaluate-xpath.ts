import { isCondition } from '../../domain/scrape/xpath/simplify-steps.ts'
import type {
  XPathAxis,
  XPathExpression,
  XPathOperator,
  XPathStep,
} from '../../domain/scrape/xpath/xpath-expression.ts'
import type { Document, Element } from '../dom/dom.ts'
import { walkSteps } from './work-budget.ts'
import { passesTest, walkAxis } from './xpath-axes.ts'
import { functionTable, type XPathContext } from './xpath-functions.ts'
import type { XPathDocument, XPathNode } from './xpath-node.ts'
import { compare, isComparison, toBoolean, toNumber, type XPathValue } from './xpath-value.ts'

/**
 * Evaluates XPath 1.0 on HTML. A path that begins with `/` starts at `scope`: at the document, or in a
 * nested rule at the element that the outer rule matched.
 */
export function evaluateXPath(
  expression: XPathExpression,
  scope: Document | Element,
  document: XPathDocument,
): XPathValue {
  const context = { node: scope, position: 1, size: 1, document }
  return new XPathEvaluator(scope, document).evaluate(expression, context)
}

class XPathEvaluator {
  readonly #scope: Document | Element
  readonly #document: XPathDocument

  constructor(scope: Document | Element, document: XPathDocument) {
    this.#scope = scope
    this.#document = document
  }

  /** Recurses over the expression, whose length is limited, never over the page. */
  evaluate(expression: XPathExpression, context: XPathContext): XPathValue {
    this.#document.budget.spend(1)
    switch (expression.kind) {
      case 'literal':
        return expression.value
      case 'negate':
        return -toNumber(this.evaluate(expression.operand, context), this.#document)
      case 'binary':
        return this.#evaluateBinary(expression, context)
      case 'call': {
        const operands = expression.operands.map((operand) => this.evaluate(operand, context))
        return functionTable[expression.name](operands, context)
      }
      case 'filter': {
        const nodes = toNodes(this.evaluate(expression.operand, context))
        return this.#filter(nodes, expression.predicates)
      }
      case 'path':
        return this.#evaluatePath(expression, context)
    }
  }

  #evaluateBinary(
    { operator, left, right }: Extract<XPathExpression, { kind: 'binary' }>,
    context: XPathContext,
  ): XPathValue {
    const first = this.evaluate(left, context)
    if (operator === 'or' && toBoolean(first)) return true
    if (operator === 'and' && !toBoolean(first)) return false
    const second = this.evaluate(right, context)
    if (operator === 'or' || operator === 'and') return toBoolean(second)
    if (operator === '|') {
      this.#document.budget.spend(toNodes(first).length + toNodes(second).length)
      return this.#document.sort([...new Set([...toNodes(first), ...toNodes(second)])])
    }
    if (isComparison(operator)) return compare(operator, first, second, this.#document)
    return calculate(operator, toNumber(first, this.#document), toNumber(second, this.#document))
  }

  #evaluatePath(
    { start, steps }: Extract<XPathExpression, { kind: 'path' }>,
    context: XPathContext,
  ): XPathNode[] {
    const first =
      start === 'root'
        ? [this.#scope]
        : start === 'context'
          ? [context.node]
          : toNodes(this.evaluate(start, context))
    return steps.reduce((nodes: XPathNode[], step) => this.#takeStep(nodes, step), first)
  }

  #takeStep(from: XPathNode[], step: XPathStep): XPathNode[] {
    const found = new Set<XPathNode>()
    const skipsInner = from.length > 1 && isWholeSubtree(step)
    let end = 0
    for (const node of from) {
      if (skipsInner) {
        // What lies inside the node before was found from there; nested lists would take quadratic time.
        if (this.#document.placeOf(node) <= end) continue
        end = this.#document.endOf(node)
      }
      for (const one of this.#walk(node, step)) found.add(one)
    }
    return from.length > 1 || isReverse.has(step.axis)
      ? this.#document.sort([...found])
      : [...found]
  }

  /** The nodes of one step from one node; predicates count along the axis. */
  #walk(node: XPathNode, { axis, test, predicates }: XPathStep): XPathNode[] {
    const nodes: XPathNode[] = []
    const [first, ...others] = predicates
    const isFirstOnly = first?.kind === 'literal' && first.value === 1
    let visited = 0
    for (const one of walkAxis[axis](node, this.#document)) {
      if (++visited % 1_024 === 0) this.#document.budget.spend(1_024 * visitSteps)
      if (!passesTest(one, axis, test)) continue
      nodes.push(one)
      if (isFirstOnly) break
    }
    this.#document.budget.spend((visited % 1_024) * visitSteps)
    return this.#filter(nodes, isFirstOnly ? others : predicates)
  }

  #filter(nodes: XPathNode[], predicates: XPathExpression[]): XPathNode[] {
    return predicates.reduce((left, predicate) => {
      if (predicate.kind === 'literal' && typeof predicate.value === 'number') {
        return left.slice(predicate.value - 1, predicate.value)
      }
      const size = left.length
      return left.filter((node, index) => {
        const context = { node, position: index + 1, size, document: this.#document }
        const value = this.evaluate(predicate, context)
        return typeof value === 'number' ? value === index + 1 : toBoolean(value)
      })
    }, nodes)
  }
}

/** Visiting a node along an axis, and keeping it in the sets of nodes that follow. */
const visitSteps = 2 * walkSteps

const isReverse = new Set<XPathAxis>([
  'ancestor',
  'ancestor-or-self',
  'preceding',
  'preceding-sibling',
])

/** What such a step finds from a node includes what it finds from any node below. */
const isWholeSubtree = ({ axis, predicates }: XPathStep): boolean =>
  (axis === 'descendant' || axis === 'descendant-or-self') && predicates.every(isCondition)

const toNodes = (value: XPathValue): XPathNode[] => (Array.isArray(value) ? value : [])

function calculate(operator: XPathOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case 'div':
      return left / right
    default:
      return left % right
  }
}

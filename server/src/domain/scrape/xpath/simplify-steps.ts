import type { XPathExpression, XPathStep } from './xpath-expression.ts'

/**
 * Turns `//name` into one step to the descendants, where the standard takes two: to every node, then to
 * its children. That is the same unless a predicate counts the children, and twice as fast.
 */
export function simplifySteps(steps: XPathStep[]): XPathStep[] {
  const simplified: XPathStep[] = []
  for (const step of steps) {
    const before = simplified.at(-1)
    if (
      before &&
      isEveryNode(before) &&
      step.axis === 'child' &&
      step.predicates.every(isCondition)
    ) {
      simplified[simplified.length - 1] = { ...step, axis: 'descendant' }
    } else simplified.push(step)
  }
  return simplified
}

const isEveryNode = ({ axis, test, predicates }: XPathStep): boolean =>
  axis === 'descendant-or-self' && test.kind === 'node' && predicates.length === 0

const conditions = new Set(['not', 'contains', 'starts-with', 'boolean', 'lang', 'true', 'false'])
const numericOperators = new Set(['+', '-', '*', 'div', 'mod'])

/** Whether a predicate is a condition on the node alone, rather than a number or about its position. */
export function isCondition(predicate: XPathExpression): boolean {
  if (countsPosition(predicate)) return false
  if (predicate.kind === 'binary') return !numericOperators.has(predicate.operator)
  if (predicate.kind === 'call') return conditions.has(predicate.name)
  return predicate.kind === 'path'
}

/** Whether `position()` or `last()` occurs anywhere, even where it counts something else. */
function countsPosition(expression: XPathExpression): boolean {
  switch (expression.kind) {
    case 'literal':
      return false
    case 'negate':
      return countsPosition(expression.operand)
    case 'binary':
      return countsPosition(expression.left) || countsPosition(expression.right)
    case 'call':
      return /^(?:position|last)$/.test(expression.name) || expression.operands.some(countsPosition)
    case 'filter':
      return [expression.operand, ...expression.predicates].some(countsPosition)
    case 'path': {
      const inner = expression.steps.flatMap(({ predicates }) => predicates)
      const { start } = expression
      return [...inner, ...(typeof start === 'string' ? [] : [start])].some(countsPosition)
    }
  }
}

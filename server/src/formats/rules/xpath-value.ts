import type { XPathDocument, XPathNode } from './xpath-node.ts'

/** What an XPath expression can give. A set of nodes is in document order. */
export type XPathValue = XPathNode[] | string | number | boolean

export function toText(value: XPathValue, document: XPathDocument): string {
  if (Array.isArray(value)) return value[0] ? document.stringOf(value[0]) : ''
  // XPath has no negative zero.
  return value === 0 ? '0' : String(value)
}

export function toNumber(value: XPathValue, document: XPathDocument): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  const text = toText(value, document).trim()
  return /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
}

export function toBoolean(value: XPathValue): boolean {
  if (Array.isArray(value)) return value.length > 0
  return Boolean(value)
}

type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>='

const comparisons: Record<Comparison, (left: unknown, right: unknown) => boolean> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => (left as number) < (right as number),
  '<=': (left, right) => (left as number) <= (right as number),
  '>': (left, right) => (left as number) > (right as number),
  '>=': (left, right) => (left as number) >= (right as number),
}

export const isComparison = (operator: string): operator is Comparison =>
  Object.hasOwn(comparisons, operator)

/** A set of nodes compares as true where any of its nodes does. */
export function compare(
  operator: Comparison,
  left: XPathValue,
  right: XPathValue,
  document: XPathDocument,
): boolean {
  const test = comparisons[operator]
  const isEquality = operator === '=' || operator === '!='
  if (typeof left === 'boolean' || typeof right === 'boolean') {
    const [a, b] = [toBoolean(left), toBoolean(right)]
    return isEquality ? test(a, b) : test(Number(a), Number(b))
  }
  const isNumeric = !isEquality || typeof left === 'number' || typeof right === 'number'
  const [lefts, rights] = [left, right].map((side) =>
    atoms(side, document).map((atom) => (isNumeric ? toNumber(atom, document) : String(atom))),
  )
  return Boolean(
    lefts?.some((a) => {
      document.budget.spend(rights?.length ?? 0)
      return rights?.some((b) => test(a, b))
    }),
  )
}

const atoms = (value: XPathValue, document: XPathDocument): (string | number | boolean)[] =>
  Array.isArray(value) ? value.map((node) => document.stringOf(node)) : [value]

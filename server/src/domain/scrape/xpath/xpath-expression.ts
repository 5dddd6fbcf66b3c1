/** The syntax tree of an XPath 1.0 expression, without namespaces, which HTML does not have. */
export type XPathExpression =
  | { kind: 'literal'; value: string | number }
  | { kind: 'negate'; operand: XPathExpression }
  | { kind: 'binary'; operator: XPathOperator; left: XPathExpression; right: XPathExpression }
  | { kind: 'call'; name: XPathFunction; operands: XPathExpression[] }
  | { kind: 'filter'; operand: XPathExpression; predicates: XPathExpression[] }
  | { kind: 'path'; start: 'root' | 'context' | XPathExpression; steps: XPathStep[] }

export type XPathOperator = keyof typeof xpathPrecedences

export interface XPathStep {
  axis: XPathAxis
  test: XPathNodeTest
  predicates: XPathExpression[]
}

/** A name is in lower case, because names of HTML match in any case. */
export type XPathNodeTest =
  | { kind: 'name'; name: string }
  | { kind: 'any' | 'node' | 'text' | 'comment' | 'processing-instruction' }

/** How tightly an operator binds; operators of the same number go from left to right. */
export const xpathPrecedences = {
  or: 1,
  and: 2,
  '=': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  div: 6,
  mod: 6,
  '|': 8,
} as const

/** All but `namespace`. */
export const xpathAxes = [
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
] as const

export type XPathAxis = (typeof xpathAxes)[number]

/** The function library of XPath 1.0, each with the least and the greatest number of its arguments. */
export const xpathFunctions = {
  last: [0, 0],
  position: [0, 0],
  count: [1, 1],
  id: [1, 1],
  'local-name': [0, 1],
  'namespace-uri': [0, 1],
  name: [0, 1],
  string: [0, 1],
  concat: [2, 100],
  'starts-with': [2, 2],
  contains: [2, 2],
  'substring-before': [2, 2],
  'substring-after': [2, 2],
  substring: [2, 3],
  'string-length': [0, 1],
  'normalize-space': [0, 1],
  translate: [3, 3],
  boolean: [1, 1],
  not: [1, 1],
  true: [0, 0],
  false: [0, 0],
  lang: [1, 1],
  number: [0, 1],
  sum: [1, 1],
  floor: [1, 1],
  ceiling: [1, 1],
  round: [1, 1],
} as const satisfies Record<string, readonly [min: number, max: number]>

export type XPathFunction = keyof typeof xpathFunctions

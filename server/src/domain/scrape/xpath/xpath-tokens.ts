import { xpathPrecedences } from './xpath-expression.ts'

export interface XPathToken {
  kind: 'name' | 'number' | 'literal' | 'operator' | 'symbol' | 'end'
  text: string
  /** The offset in the expression, counted from 1 as people do. */
  at: number
}

const token =
  /\s*(?:("[^"]*"|'[^']*')|(\d+(?:\.\d*)?|\.\d+)|([\p{L}_][\p{L}\p{N}_.\-·]*)|(\/\/|::|\.\.|!=|<=|>=|[()[\]@,/|+\-=<>*.$:])|$)/uy

/** What the groups of the pattern are. They have no names there, since groups with names take twice as long. */
const tokenKinds = ['literal', 'number', 'name', 'symbol'] as const

const operatorSymbols = new Set<string>(Object.keys(xpathPrecedences))

/** Splits an expression into tokens, or throws a SyntaxError. */
export function readXPathTokens(expression: string): XPathToken[] {
  const tokens: XPathToken[] = []
  token.lastIndex = 0
  for (;;) {
    const from = token.lastIndex
    const groups = token.exec(expression)
    if (!groups) {
      const spaces = /^\s*/.exec(expression.slice(from))?.[0].length ?? 0
      throw new SyntaxError(`unexpected character at ${from + spaces + 1}`)
    }
    const group = groups.findIndex((text, index) => index > 0 && text !== undefined)
    const kind = tokenKinds[group - 1] ?? 'end'
    const text = groups[group] ?? ''
    const at = token.lastIndex - text.length + 1
    if (kind === 'end') return [...tokens, { kind, text, at }]
    tokens.push(classify({ kind, text, at }, tokens.at(-1)))
  }
}

/**
 * The standard's rule for what is ambiguous: after an operand `*` multiplies and a name is an operator,
 * in other places they are tests of names.
 */
function classify(next: XPathToken, previous: XPathToken | undefined): XPathToken {
  if (!operatorSymbols.has(next.text) || next.kind === 'literal') return next
  const isAmbiguous = next.kind === 'name' || next.text === '*'
  if (isAmbiguous && !isOperandEnd(previous)) {
    return next.text === '*' ? { ...next, kind: 'name' } : next
  }
  return { ...next, kind: 'operator' }
}

function isOperandEnd(previous: XPathToken | undefined): boolean {
  if (!previous || previous.kind === 'operator') return false
  return previous.kind !== 'symbol' || /^(?:\)|\]|\.|\.\.)$/.test(previous.text)
}

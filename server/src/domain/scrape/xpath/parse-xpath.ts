import { simplifySteps } from './simplify-steps.ts'
import {
  type XPathAxis,
  type XPathExpression,
  type XPathFunction,
  type XPathNodeTest,
  type XPathOperator,
  type XPathStep,
  xpathAxes,
  xpathFunctions,
  xpathPrecedences,
} from './xpath-expression.ts'
import { readXPathTokens, type XPathToken } from './xpath-tokens.ts'

/** Each level takes a dozen frames of the stack, here and when it is evaluated. */
const depthMax = 40

/**
 * Parses XPath 1.0, or throws a SyntaxError that says where. There is a parser and an evaluator of our
 * own because the kept libraries take quadratic time on large pages: `//a/@href` on 25,000 links took
 * `xpath` 22 s, and `//p` took `fontoxpath` 41 s.
 */
export function parseXPath(text: string): XPathExpression {
  const parser = new XPathParser(readXPathTokens(text))
  const expression = parser.readExpression()
  parser.expectEnd()
  return expression
}

const anyNode: XPathStep = {
  axis: 'descendant-or-self',
  test: { kind: 'node' },
  predicates: [],
}

const nodeTypes = new Set(['node', 'text', 'comment', 'processing-instruction'])

/** A parser by recursive descent; operators are read by their precedence. */
class XPathParser {
  readonly #tokens: XPathToken[]
  #index = 0
  #depth = 0

  constructor(tokens: XPathToken[]) {
    this.#tokens = tokens
  }

  readExpression(precedenceMin = 0): XPathExpression {
    if (++this.#depth > depthMax) throw new SyntaxError('nested too deeply')
    let left = this.#readUnary()
    for (;;) {
      const { kind, text } = this.#peek()
      if (kind !== 'operator') break
      const operator = text as XPathOperator
      const precedence = xpathPrecedences[operator]
      if (precedence <= precedenceMin) break
      this.#index++
      left = { kind: 'binary', operator, left, right: this.readExpression(precedence) }
    }
    this.#depth--
    return left
  }

  expectEnd(): void {
    if (this.#peek().kind !== 'end') this.#fail()
  }

  #readUnary(): XPathExpression {
    let minuses = 0
    while (this.#take('-')) minuses++
    if (minuses === 0) return this.#readPath()
    // A minus binds less than a union and more than a product.
    const operand = this.readExpression(unaryPrecedence)
    const negated: XPathExpression = { kind: 'negate', operand }
    return minuses % 2 === 1 ? negated : { kind: 'negate', operand: negated }
  }

  #readPath(): XPathExpression {
    if (this.#take('//')) {
      return { kind: 'path', start: 'root', steps: this.#readSteps([anyNode]) }
    }
    if (this.#take('/')) {
      return { kind: 'path', start: 'root', steps: this.#isStep() ? this.#readSteps() : [] }
    }
    if (!this.#isPrimary()) return { kind: 'path', start: 'context', steps: this.#readSteps() }
    const primary = this.#readPrimary()
    const predicates = this.#readPredicates()
    const start: XPathExpression =
      predicates.length === 0 ? primary : { kind: 'filter', operand: primary, predicates }
    if (this.#take('//')) return { kind: 'path', start, steps: this.#readSteps([anyNode]) }
    return this.#take('/') ? { kind: 'path', start, steps: this.#readSteps() } : start
  }

  #isPrimary(): boolean {
    const { kind, text } = this.#peek()
    if (kind === 'literal' || kind === 'number' || text === '(' || text === '$') return true
    return kind === 'name' && this.#peek(1).text === '(' && !nodeTypes.has(text)
  }

  #readPrimary(): XPathExpression {
    const token = this.#next()
    if (token.kind === 'literal') return { kind: 'literal', value: token.text.slice(1, -1) }
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) }
    if (token.text === '$') throw new SyntaxError(`variables are not supported, at ${token.at}`)
    if (token.text === '(') {
      const inner = this.readExpression()
      this.#expect(')')
      return inner
    }
    return this.#readCall(token)
  }

  #readCall({ text, at }: XPathToken): XPathExpression {
    if (!Object.hasOwn(xpathFunctions, text)) {
      throw new SyntaxError(`unknown function ${text}() at ${at}`)
    }
    const name = text as XPathFunction
    const operands: XPathExpression[] = []
    this.#expect('(')
    if (!this.#take(')')) {
      do operands.push(this.readExpression())
      while (this.#take(','))
      this.#expect(')')
    }
    const [least, most] = xpathFunctions[name]
    if (operands.length < least || operands.length > most) {
      throw new SyntaxError(`wrong number of arguments of ${name}() at ${at}`)
    }
    return { kind: 'call', name, operands }
  }

  #isStep(): boolean {
    const { kind, text } = this.#peek()
    return kind === 'name' || text === '@' || text === '.' || text === '..'
  }

  #readSteps(before: XPathStep[] = []): XPathStep[] {
    const steps = [...before, this.#readStep()]
    for (;;) {
      if (this.#take('//')) steps.push(anyNode)
      else if (!this.#take('/')) return simplifySteps(steps)
      steps.push(this.#readStep())
    }
  }

  #readStep(): XPathStep {
    if (this.#take('.')) return { axis: 'self', test: { kind: 'node' }, predicates: [] }
    if (this.#take('..')) return { axis: 'parent', test: { kind: 'node' }, predicates: [] }
    const axis = this.#readAxis()
    const test = this.#readNodeTest()
    return { axis, test, predicates: this.#readPredicates() }
  }

  #readAxis(): XPathAxis {
    if (this.#take('@')) return 'attribute'
    if (this.#peek(1).text !== '::') return 'child'
    const { text, at } = this.#next()
    const axis = xpathAxes.find((known) => known === text)
    if (!axis) throw new SyntaxError(`unknown axis ${text} at ${at}`)
    this.#expect('::')
    return axis
  }

  #readNodeTest(): XPathNodeTest {
    const token = this.#next()
    if (token.kind !== 'name') this.#fail(token)
    if (token.text === '*') return { kind: 'any' }
    if (this.#peek().text === ':') {
      throw new SyntaxError(`prefixes are not supported, at ${token.at}; use local-name()`)
    }
    if (!nodeTypes.has(token.text) || !this.#take('(')) {
      return { kind: 'name', name: token.text.toLowerCase() }
    }
    if (token.text === 'processing-instruction' && this.#peek().kind === 'literal') this.#index++
    this.#expect(')')
    return { kind: token.text as 'node' | 'text' | 'comment' | 'processing-instruction' }
  }

  #readPredicates(): XPathExpression[] {
    const predicates: XPathExpression[] = []
    while (this.#take('[')) {
      predicates.push(this.readExpression())
      this.#expect(']')
    }
    return predicates
  }

  #peek(ahead = 0): XPathToken {
    return this.#tokens[this.#index + ahead] ?? (this.#tokens.at(-1) as XPathToken)
  }

  #next(): XPathToken {
    const token = this.#peek()
    this.#index++
    return token
  }

  #take(text: string): boolean {
    const { kind, text: found } = this.#peek()
    if (found !== text || kind === 'literal') return false
    this.#index++
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail(this.#peek(), `, expected '${text}'`)
  }

  #fail({ kind, text, at }: XPathToken = this.#peek(), expected = ''): never {
    if (kind === 'end') throw new SyntaxError(`unexpected end${expected}`)
    throw new SyntaxError(`unexpected '${text}' at ${at}${expected}`)
  }
}

const unaryPrecedence = 7

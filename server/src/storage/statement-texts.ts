import assert from 'node:assert/strict'
import { type DialectFragment, DialectSlot, type SqlValue, Statement } from './statement.ts'

export interface Dialect {
  readonly fragments: Record<DialectFragment, string>
  placeholder(position: number): string
}

/** The text of a statement in one dialect. Only texts with a number are kept prepared. */
export interface StatementText {
  readonly sql: string
  readonly number: number | undefined
}

export interface RenderedStatement {
  readonly text: StatementText
  readonly values: readonly SqlValue[]
}

// Statements with nested parts have a text for each combination; this bounds the cache of texts.
const composedTextsMax = 1_000

/**
 * Renders statements into SQL text and values, and caches the texts. The strings array of a template
 * literal is one object for the life of the program, so it serves as the cache key.
 */
export class StatementTexts {
  readonly #dialect: Dialect
  readonly #ofTemplates = new WeakMap<readonly string[], TemplateText>()
  readonly #bySql = new Map<string, StatementText>()
  readonly #byNumber: string[] = []
  #composedCount = 0

  constructor(dialect: Dialect) {
    this.#dialect = dialect
  }

  render(statement: Statement<unknown>): RenderedStatement {
    if (statement.isScript) {
      return { text: { sql: statement.strings.join(''), number: undefined }, values: [] }
    }
    const template = this.#ofTemplates.get(statement.strings)
    const values = template && valuesThatFit(template, statement)
    if (values) return { text: template.text, values }

    const parts: Flattened = { sql: '', values: [], isComposed: false }
    this.#flatten(statement, parts)
    const text = this.#numbered(parts)
    if (!parts.isComposed) {
      this.#ofTemplates.set(statement.strings, { text, fragments: fragmentsOf(statement) })
    }
    return { text, values: parts.values }
  }

  sqlOf(number: number): string {
    const sql = this.#byNumber[number]
    assert(sql !== undefined)
    return sql
  }

  #flatten(statement: Statement<unknown>, into: Flattened): void {
    for (const [index, string] of statement.strings.entries()) {
      into.sql += string
      if (index === statement.strings.length - 1) return
      const slot = statement.slots[index]
      if (slot instanceof Statement) {
        into.isComposed = true
        this.#flatten(slot, into)
      } else if (slot instanceof DialectSlot) {
        into.sql += this.#dialect.fragments[slot.fragment]
      } else {
        into.values.push(asValue(slot))
        into.sql += this.#dialect.placeholder(into.values.length)
      }
    }
  }

  #numbered({ sql, isComposed }: Flattened): StatementText {
    const known = this.#bySql.get(sql)
    if (known) return known
    if (isComposed && this.#composedCount >= composedTextsMax) return { sql, number: undefined }
    if (isComposed) this.#composedCount += 1
    const text = { sql, number: this.#byNumber.push(sql) - 1 }
    this.#bySql.set(sql, text)
    return text
  }
}

interface TemplateText {
  readonly text: StatementText
  readonly fragments: readonly (DialectFragment | undefined)[]
}

interface Flattened {
  sql: string
  readonly values: SqlValue[]
  isComposed: boolean
}

const fragmentsOf = (statement: Statement<unknown>) =>
  statement.slots.map((slot) => (slot instanceof DialectSlot ? slot.fragment : undefined))

/** The values; undefined if a slot of this use is of another kind than in the cached text. */
function valuesThatFit(
  { fragments }: TemplateText,
  { slots }: Statement<unknown>,
): SqlValue[] | undefined {
  const values: SqlValue[] = []
  for (const [index, slot] of slots.entries()) {
    if (slot instanceof Statement) return undefined
    const fragment = slot instanceof DialectSlot ? slot.fragment : undefined
    if (fragment !== fragments[index]) return undefined
    if (!(slot instanceof DialectSlot)) values.push(asValue(slot))
  }
  return values
}

function asValue(value: SqlValue | undefined): SqlValue {
  const isValue =
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    value === null ||
    value instanceof Uint8Array
  if (!isValue) throw new TypeError(`Not an SQL value: ${typeof value} ${String(value)}`)
  return value
}

import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { ExtractRules, ruleLevelsMax, rulesMax } from './extract-rules.ts'

const nested = (levels: number): object =>
  levels === 1 ? { x: 'p' } : { x: { selector: 'div', output: nested(levels - 1) } }

test('rules are returned as they were given, without those that are null', () => {
  const rules = {
    title: 'h1',
    skipped: null,
    items: { selector: 'li', type: 'list', output: { link: 'a@href', price: './/b' } },
    table: { selector: 'table', output: 'table' },
    image: { selector: 'img', output: '@src', type: null },
  }

  const { skipped: _, ...expected } = { ...rules, image: { selector: 'img', output: '@src' } }
  assert.deepEqual(ExtractRules.parse(rules), expected)
})

const longSelectors = Object.fromEntries(
  Array.from({ length: 5 }, (_, index) => [index, { selector: `p${'.x'.repeat(2_000)}` }]),
)

const deepest = (issues: z.core.$ZodIssue[]): PropertyKey[] =>
  issues.reduce<PropertyKey[]>((longest, issue) => {
    const inner =
      issue.code === 'invalid_union' ? issue.errors.map((branch) => deepest(branch)) : [[]]
    const own = inner.map((path) => [...issue.path, ...path])
    return [longest, ...own].reduce((a, b) => (b.length > a.length ? b : a))
  }, [])

const faults: [name: string, rules: object, path: string[]][] = [
  ['a bad selector', { a: 'p[' }, ['a']],
  ['a bad selector of a full rule', { a: { selector: '//p[' } }, ['a', 'selector']],
  [
    'a bad selector of an inner rule',
    { a: { selector: 'p', output: { b: { selector: 'q', output: { c: 'p:no-such' } } } } },
    ['a', 'output', 'b', 'output', 'c'],
  ],
  ['an unknown output', { a: { selector: 'p', output: 'markdown' } }, ['a', 'output']],
  ['an unknown type', { a: { selector: 'p', type: 'all' } }, ['a', 'type']],
  ['an unknown field', { a: { selector: 'p', attr: 'x' } }, ['a', 'attr']],
  ['a missing selector', { a: { output: 'text' } }, ['a', 'selector']],
  ['two outputs', { a: { selector: 'a@href', output: 'html' } }, ['a', 'output']],
  ['a rule that is a number', { a: 1 }, ['a']],
  ['selectors that are too long together', longSelectors, []],
  ['too many levels', nested(ruleLevelsMax + 1), Array(ruleLevelsMax).fill(['x', 'output']).flat()],
]

for (const [name, rules, path] of faults) {
  test(`${name} is refused at its place`, () => {
    const { error } = ExtractRules.safeParse(rules)

    assert.deepEqual(deepest(error?.issues ?? []), path)
  })
}

test('the greatest number of levels and rules is accepted', () => {
  const rules = Object.fromEntries(Array.from({ length: rulesMax }, (_, index) => [index, 'p']))

  assert.ok(ExtractRules.safeParse(nested(ruleLevelsMax)).success)
  assert.ok(ExtractRules.safeParse(rules).success)
  assert.equal(ExtractRules.safeParse({ ...rules, more: 'p' }).success, false)
})

test('rules inside of rules count too', () => {
  const inner = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index, 'p']))
  const rules = { a: { selector: 'p', output: inner }, b: { selector: 'p', output: inner } }

  assert.match(String(ExtractRules.safeParse(rules).error), /at most 100 rules/)
})

test('a request that is nested to any depth is refused without recursion', () => {
  let rules: object = { x: 'p' }
  for (let level = 0; level < 100_000; level++) rules = { x: { selector: 'p', output: rules } }

  assert.equal(ExtractRules.safeParse(rules).success, false)
})

test('whatever JSON is given, it is accepted or refused, never an error of ours', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => typeof ExtractRules.safeParse(value).success === 'boolean',
    ),
  )
})

test('the rules have a schema for the OpenAPI document', () => {
  const schema = JSON.stringify(z.toJSONSchema(ExtractRules, { io: 'input' }))

  assert.match(schema, /"ExtractRule"/)
})

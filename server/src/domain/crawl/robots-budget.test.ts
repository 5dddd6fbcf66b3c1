/** How much work judging URLs may take. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { runAtOnce } from '../../../test/support/run-at-once.ts'
import { parseRobots } from './parse-robots.ts'
import { isAllowedByRobots, type RobotsRules } from './robots-rules.ts'

const rulesOf = (...lines: string[]): RobotsRules =>
  runAtOnce(parseRobots(Buffer.from(lines.join('\n'))))

test('a URL that thousands of patterns would have to search is not fetched', () => {
  const rules = rulesOf('user-agent: *', 'disallow: /*a*a*a*a*a*ab\n'.repeat(19_000))

  assert.equal(isAllowedByRobots(rules, `https://shop.test/${'a'.repeat(8_000)}`), false)
  assert.equal(isAllowedByRobots(rules, `https://shop.test/${'a'.repeat(30)}`), true)
})

const manyRules: [name: string, line: (index: number) => string, count: number, cost: number][] = [
  ['patterns with stars', (index) => `disallow: /*a*a*a*${index}b`, 1_000, 110],
  ['patterns without stars', (index) => `disallow: /other/${index}`, 10_000, 1],
]
for (const [name, line, count, cost] of manyRules) {
  test(`judging many URLs by many ${name} ends with the budget that the URLs share`, () => {
    const rules = rulesOf('user-agent: *', ...Array.from({ length: count }, (_, at) => line(at)))
    const budget = { charactersLeft: 1_000_000 }

    const judged = Array.from({ length: 2_000 }, (_, index) =>
      isAllowedByRobots(rules, `https://shop.test/${'a'.repeat(110)}/${index}`, budget),
    )

    const allowedCount = judged.indexOf(false)
    assert.ok(allowedCount > 0)
    assert.ok(allowedCount <= 1_000_000 / (count * cost), `${allowedCount} URLs were judged`)
    assert.ok(!judged.slice(allowedCount).includes(true))
  })
}

/** How much work reading a robots.txt takes. What it means is in robots-rules.test.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAtOnce } from '../../../test/support/run-at-once.ts'
import { parseRobots, robotsBytesMax } from './parse-robots.ts'

const fill = (line: string): string => line.repeat(Math.floor(robotsBytesMax / line.length))
const parsingOf = (text: string) => parseRobots(Buffer.from(text))

/** How many patterns are converted, by the calls that only the conversion makes. */
function countConversions(t: { mock: typeof import('node:test').mock }, text: string): number {
  const convert = t.mock.method(String.prototype, 'toWellFormed')
  runAtOnce(parsingOf(text))
  return convert.mock.callCount()
}

for (const [what, text] of [
  ['short lines', `user-agent: *\n${fill('allow:/\n')}`],
  ['lines that say nothing', fill('x\n')],
  ['names', fill('user-agent: trawl\n')],
  ['escapes', `user-agent: *\n${fill('allow: /%41%7e\n')}`],
] as const) {
  test(`reading a large robots.txt pauses often: ${what}`, () => {
    const steps = parsingOf(text)
    let pauses = 0

    while (!steps.next().done) pauses += 1

    assert.ok(pauses > 50, `There were ${pauses} pauses.`)
  })
}

test('no more patterns are converted than there can be rules', (t) => {
  const patterns = 'disallow: /é\n'.repeat(20_000)

  assert.equal(countConversions(t, `user-agent: *\n${patterns}`), 10_000)
})

test('patterns of other robots are not converted', (t) => {
  assert.equal(countConversions(t, `user-agent: other\n${'disallow: /é\n'.repeat(100)}`), 0)
})

test('a pattern that is longer than any URL is not converted', (t) => {
  const text = `user-agent: *\ndisallow: /${'é%41'.repeat(20_000)}\ndisallow: /${'*'.repeat(20_000)}b\n`

  assert.equal(countConversions(t, text), 0)
  assert.deepEqual(
    runAtOnce(parsingOf(text)).rules.map(({ pattern }) => pattern),
    ['/*b'],
  )
})

test('a plain pattern needs no conversion', (t) => {
  assert.equal(countConversions(t, 'user-agent: *\ndisallow: /a/*.html?b=c&d\n'), 0)
})

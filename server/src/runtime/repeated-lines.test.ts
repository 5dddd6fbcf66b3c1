import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Log } from './log.ts'
import { RepeatedLines } from './repeated-lines.ts'

function createScene(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const written: string[] = []
  const warn = ((_: object, message: string) => void written.push(message)) as Log['warn']
  const lines = new RepeatedLines({ warn })
  return { written, lines, passMs: (ms: number) => t.mock.timers.tick(ms) }
}

const five = ['event 1', 'event 2', 'event 3', 'event 4', 'event 5']

test('the first warnings of a minute are lines of their own, and the others one line at its end', (t) => {
  const { written, lines, passMs } = createScene(t)

  for (let event = 1; event <= 25; event += 1) lines.warn({}, `event ${event}`)
  const atOnce = [...written]
  passMs(60_000)

  assert.deepEqual(atOnce, five)
  assert.deepEqual(written.slice(5), ['20 more times within 60 s: event 25'])
})

test('few warnings have no summary, and each minute has its own', (t) => {
  const { written, lines, passMs } = createScene(t)

  for (const event of five) lines.warn({}, event)
  passMs(60_000)
  lines.warn({}, 'later')
  passMs(60_000)

  assert.deepEqual(written, [...five, 'later'])
})

test('at the end of the process the summary is written at once', (t) => {
  const { written, lines } = createScene(t)

  for (let event = 1; event <= 7; event += 1) lines.warn({}, `event ${event}`)
  lines[Symbol.dispose]()

  assert.equal(written.at(-1), '2 more times within 60 s: event 7')
})

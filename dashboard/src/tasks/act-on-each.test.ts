import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actOnEach, reportText } from './act-on-each.ts'

test('what is refused is counted by its reason, and the others are done', async () => {
  const report = await actOnEach(['a', 'b', 'c', 'd', 'e'], async (id) => {
    if ('bd'.includes(id)) throw new Error('It has ended.')
  })

  assert.equal(report.doneCount, 3)
  assert.deepEqual([...report.refusals], [['It has ended.', 2]])
})

test('not more than four are acted on at once', async () => {
  let running = 0
  let runningMax = 0

  await actOnEach(
    Array.from({ length: 20 }, (_, index) => String(index)),
    async () => {
      runningMax = Math.max(runningMax, ++running)
      await Promise.resolve()
      running--
    },
  )

  assert.equal(runningMax, 4)
})

test('what is stopped leaves the rest alone, and says how many that are', async () => {
  const stopping = new AbortController()
  const acted: string[] = []

  const report = await actOnEach(
    Array.from({ length: 10 }, (_, index) => String(index)),
    async (id) => {
      acted.push(id)
      if (id === '2') stopping.abort()
    },
    { signal: stopping.signal },
  )

  assert.equal(report.doneCount, acted.length)
  assert.equal(report.doneCount + report.leftCount, 10)
  assert.ok(report.leftCount > 0)
})

test('a report says what was done, what was refused and what is left', () => {
  const refusals = new Map([['It has ended.', 2]])

  assert.equal(
    reportText('cancelled', { doneCount: 3, refusals, leftCount: 4 }),
    '3 cancelled; 2 not: It has ended.; stopped, 4 left',
  )
  assert.equal(
    reportText('retried', { doneCount: 1, refusals: new Map(), leftCount: 0 }),
    '1 retried',
  )
})

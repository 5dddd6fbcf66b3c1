import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noActivity } from '../domain/task/activity.ts'
import { parseActivities } from './parse-activities.ts'

test('the rows of a long chart are parsed in order, and others have turns of the event loop meanwhile', async () => {
  const activity = JSON.stringify(noActivity())
  const rows = Array.from({ length: 40_000 }, (_, utcMinute) => ({ utcMinute, activity }))
  let turnsCount = 0
  let isParsed = false
  const count = () => {
    turnsCount += 1
    if (!isParsed) setImmediate(count)
  }
  setImmediate(count)

  const parsed = await parseActivities(rows)
  isParsed = true

  assert.ok(turnsCount > 1, `${turnsCount} turns`)
  assert.deepEqual(
    parsed.map(({ utcMinute }) => utcMinute),
    rows.map(({ utcMinute }) => utcMinute),
  )
  assert.deepEqual(parsed.at(-1)?.activity, noActivity())
})

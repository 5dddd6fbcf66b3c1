import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortableId, timeOfSortableId } from './sortable-id.ts'

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('an id is a UUID of version 7 and starts with the time', () => {
  const beforeMs = Date.now()
  const id = sortableId()
  const afterMs = Date.now()

  assert.match(id, version7)
  assert.ok(timeOfSortableId(id) >= beforeMs && timeOfSortableId(id) <= afterMs)
})

test('each id sorts after the one before, within a millisecond and when the clock is set back', (t) => {
  let nowMs = Date.now() + 60_000
  t.mock.method(Date, 'now', () => nowMs)
  const ids = Array.from({ length: 10_000 }, () => sortableId())
  nowMs -= 5000
  ids.push(sortableId())

  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, version7)
})

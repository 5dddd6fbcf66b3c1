import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localMinute } from './local-minute.ts'

test('a local minute stands for the same time when it is read in the same zone', () => {
  const atMs = Date.parse('2026-03-01T23:59:00.000Z')

  const text = localMinute(atMs)

  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d$/)
  assert.equal(new Date(text).getTime(), atMs)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TaskDetails } from '@trawl/sdk'
import { missingNotes, previewFormats, tabNames } from './tab-names.ts'

const task = (formats: TaskDetails['options']['formats']) => ({
  status: 'completed' as const,
  options: { formats } as TaskDetails['options'],
  attempt_log: [{} as TaskDetails['attempt_log'][number]],
  deliveries: [],
})
const response = {
  headers: { 'content-type': 'text/html; charset=utf-8' },
  screenshot: null,
  requests: null,
  console: null,
}

test('a task has tabs for what it gave only, and says how to get the rest', () => {
  assert.deepEqual(tabNames(task(['markdown']), response), [
    'Preview',
    'Markdown',
    'JSON',
    'Headers',
    'Attempts',
  ])
  assert.deepEqual(tabNames(task([]), response), ['Preview', 'HTML', 'JSON', 'Headers', 'Attempts'])
  assert.equal(missingNotes(task(['markdown']), response).length, 2)
  assert.equal(missingNotes(task([]), response).length, 3)
})

test('what was recorded has tabs of its own', () => {
  const recorded = {
    ...response,
    screenshot: { type: 'png', width: 1, height: 1 } as const,
    requests: [{} as never],
    console: [{ level: 'log', text: 'cod' }],
  }

  const names = tabNames(task(['markdown']), recorded)

  for (const name of ['Screenshot', 'Requests', 'Console'] as const) assert.ok(names.includes(name))
  assert.deepEqual(missingNotes(task(['markdown']), recorded), [])
})

test('a task without a result has its attempts and deliveries', () => {
  assert.deepEqual(tabNames({ ...task([]), status: 'failed' }, undefined), ['Attempts'])
})

test('markup can be shown as it is, text as markdown, and files not at all', () => {
  const formatsOf = (type: string) => previewFormats({ headers: { 'content-type': type } })

  assert.deepEqual(formatsOf('text/html'), ['html', 'markdown'])
  assert.deepEqual(formatsOf('application/json'), ['markdown'])
  assert.deepEqual(formatsOf('application/pdf'), ['markdown'])
  assert.deepEqual(formatsOf('image/png'), [])
})

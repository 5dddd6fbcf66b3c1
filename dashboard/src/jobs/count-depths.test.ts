import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countDepths } from './count-depths.ts'
import type { OutlinedPage } from './crawl-outline.ts'

test('pages are counted by depth and state', () => {
  const page = (depth: number, status: OutlinedPage['status']): OutlinedPage => ({
    task_id: '',
    url: '',
    parent_url: null,
    depth,
    status,
    error_code: null,
  })

  const depths = countDepths([page(1, 'completed'), page(2, 'failed'), page(2, 'queued')])

  assert.deepEqual(
    depths.map(({ depth, total, byState }) => [depth, total, byState.failed, byState.queued]),
    [
      [1, 1, 0, 0],
      [2, 2, 1, 1],
    ],
  )
})

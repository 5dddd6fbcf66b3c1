import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environmentFor } from './browser-process.ts'

test("the browser gets none of the service's environment variables", () => {
  assert.deepEqual(environmentFor({ libraryPath: '/b/lib' }, '/tmp/home'), {
    HOME: '/tmp/home',
    TMPDIR: '/tmp/home',
    LD_LIBRARY_PATH: '/b/lib',
  })
})

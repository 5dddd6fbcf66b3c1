import assert from 'node:assert/strict'
import { test } from 'node:test'
import { environmentFor } from './browser-process.ts'

test("the browser gets none of the service's environment variables", () => {
  const environment = environmentFor(
    { libraryPath: '/b/lib' },
    { home: '/tmp/home', isScript: true },
  )

  assert.deepEqual(environment, {
    HOME: '/tmp/home',
    TMPDIR: '/tmp/home',
    LD_LIBRARY_PATH: '/b/lib',
  })
})

test('a browser that is no script finds no other program on its PATH', () => {
  const { PATH } = environmentFor({}, { home: '/tmp/home', isScript: false })

  assert.equal(PATH, '/nonexistent')
})

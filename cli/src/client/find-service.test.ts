import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findService } from './find-service.ts'

const recorded = (url: string, pid: number): string => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'trawl-'))
  writeFileSync(join(folder.path, 'running.json'), JSON.stringify({ url, pid }))
  return findService({ dataDir: folder.path }).server
}

test('a data folder names the service of this machine that runs', () => {
  assert.equal(recorded('http://127.0.0.1:45001', process.pid), 'http://127.0.0.1:45001')
})

test('a data folder names no service of another machine, and none that has ended', () => {
  // The kernel gives out no such id.
  const endedPid = 2 ** 22 + 1

  assert.doesNotMatch(recorded('https://trawl.example', process.pid), /trawl\.example/)
  assert.doesNotMatch(recorded('http://127.0.0.1:45001', endedPid), /45001/)
})

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createLog, type Log } from '../runtime/log.ts'
import { sortableId } from '../runtime/sortable-id.ts'
import { readLeaseMarks } from './lease-marks.ts'

const silent = createLog({ level: 'silent', isPretty: false })

test('a mark is read by the next process on the folder, which is made for it, and goes with the release', (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const processId = sortableId()

  readLeaseMarks(folder, silent).keep(processId)
  const marks = readLeaseMarks(folder, silent)
  const [name = ''] = readdirSync(folder)
  const mode = statSync(join(folder, name)).mode & 0o777
  marks.released()

  assert.deepEqual(marks.processIds, [processId])
  assert.equal(mode, 0o600)
  assert.deepEqual(readdirSync(folder), [])
})

test('a process that stops leaves its mark until it has released its leases or could not', (t) => {
  const folder = temporaryFolder(t)
  const [one, two, three] = [sortableId(), sortableId(), sortableId()]
  const marks = readLeaseMarks(folder, silent)

  for (const processId of [one, two, three]) marks.stopping(processId)
  marks.stopped(one)
  marks.keep(two)
  const found = readLeaseMarks(folder, silent)
  found.runOut()

  assert.deepEqual([found.processIds, found.stoppingIds], [[two], [three]])
  assert.deepEqual(readLeaseMarks(folder, silent).stoppingIds, [])
})

test('a mark that names no process is logged and removed, and other files stay', (t) => {
  const folder = temporaryFolder(t)
  const warnings: unknown[] = []
  const log = Object.assign(Object.create(silent), {
    warn: (...line: unknown[]) => warnings.push(line),
  }) as Log
  for (const name of ['unreleased-leases.nobody', 'trawl.db']) writeFileSync(join(folder, name), '')

  const { processIds } = readLeaseMarks(folder, log)

  assert.deepEqual(processIds, [])
  assert.equal(warnings.length, 1)
  assert.deepEqual(readdirSync(folder), ['trawl.db'])
})

function temporaryFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'trawl-marks-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

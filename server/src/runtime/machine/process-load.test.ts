import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const script = `
  import { openSync } from 'node:fs'
  import { startLoadSampler } from '${new URL('process-load.ts', import.meta.url)}'
  using sampler = startLoadSampler()
  const before = sampler.read()
  try { for (;;) openSync('/dev/null', 'r') } catch {}
  const after = sampler.read()
  process.stdout.write(JSON.stringify([before, after].map((load) =>
    [load.hasFreeDescriptor, load.residentBytes > 0])))`

test('a process without a free file descriptor reports that, and the memory it had before', async () => {
  const limited = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"']

  const { stdout } = await promisify(execFile)('sh', [...limited, process.execPath, script])

  assert.deepEqual(JSON.parse(stdout), [
    [true, true],
    [false, true],
  ])
})

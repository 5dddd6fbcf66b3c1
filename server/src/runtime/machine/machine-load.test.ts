import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLoadGauge } from './machine-load.ts'

type Files = Record<string, string>

/** A machine with 1000 kB of memory, 600 of them available. */
const machine: Files = {
  'proc/stat': 'cpu  100 0 100 700 50 10 10 30 0 0\ncpu0 1 2 3 4\n',
  'proc/meminfo': 'MemTotal:       1000 kB\nMemFree:  100 kB\nMemAvailable:    600 kB\n',
}
/** 200 ticks later: 50 were used and 50 stolen by other virtual machines. */
const aSecondLater: Files = { 'proc/stat': 'cpu  120 0 120 790 60 15 15 80 0 0\n' }

const v2 = 'sys/fs/cgroup/service'
const v2Files: Files = {
  'proc/self/cgroup': '0::/service/worker\n',
  'sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
  [`${v2}/cpu.max`]: '50000 100000\n',
  [`${v2}/cpu.stat`]: 'usage_usec 1000000\nuser_usec 1\n',
  [`${v2}/memory.max`]: '1000\n',
  [`${v2}/memory.current`]: '950\n',
  [`${v2}/memory.stat`]: 'anon 500\ninactive_file 200\n',
  [`${v2}/worker/cpu.max`]: 'max 100000\n',
  [`${v2}/worker/memory.max`]: 'max\n',
}
const v1 = 'sys/fs/cgroup'
const v1Files: Files = {
  'proc/self/cgroup': '4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n',
  [`${v1}/cpu/cpu.cfs_quota_us`]: '50000\n',
  [`${v1}/cpu/cpu.cfs_period_us`]: '100000\n',
  [`${v1}/cpuacct/cpuacct.usage`]: '1000000000\n',
  [`${v1}/memory/memory.limit_in_bytes`]: '1000\n',
  [`${v1}/memory/memory.usage_in_bytes`]: '950\n',
  [`${v1}/memory/memory.stat`]: 'total_inactive_file 200\n',
}

const cases: Record<string, { before: Files; after: Files; load: unknown }> = {
  'a machine without cgroup limits': {
    before: machine,
    after: aSecondLater,
    load: { cpuBusyShare: 0.5, memoryFreeShare: 0.6 },
  },
  'a cgroup that uses most of its limit': {
    before: { ...machine, ...v2Files },
    after: { ...aSecondLater, [`${v2}/cpu.stat`]: 'usage_usec 1400000\n' },
    load: { cpuBusyShare: 0.8, memoryFreeShare: 0.25 },
  },
  'a container with cgroup v1 that sees its own cgroup as the root': {
    before: { ...machine, ...v1Files },
    after: { ...aSecondLater, [`${v1}/cpuacct/cpuacct.usage`]: '1400000000\n' },
    load: { cpuBusyShare: 0.8, memoryFreeShare: 0.25 },
  },
  'a cgroup that uses little on a busy machine': {
    before: { ...machine, ...v2Files, [`${v2}/memory.current`]: '300' },
    after: aSecondLater,
    load: { cpuBusyShare: 0.5, memoryFreeShare: 0.6 },
  },
  'a system without /proc': { before: {}, after: {}, load: undefined },
}

for (const [what, { before, after, load }] of Object.entries(cases)) {
  test(`${what} has the load ${JSON.stringify(load)}`, async (t) => {
    const root = await writeFiles(t, before)
    let nowMs = 5_000
    const read = openLoadGauge({ root, nowMs: () => nowMs })

    await writeFiles(t, after, root)
    nowMs += 1_000

    const measured = read()
    const rounded =
      measured && Object.entries(measured).map(([name, share]) => [name, Number(share.toFixed(6))])
    assert.deepEqual(rounded && Object.fromEntries(rounded), load)
  })
}

test('the load of this machine is measured on Linux, and undefined elsewhere', async () => {
  const read = openLoadGauge()
  for (const startedAtMs = performance.now(); performance.now() - startedAtMs < 50; );

  const load = read()

  if (process.platform !== 'linux') assert.equal(load, undefined)
  else for (const share of Object.values(load ?? {})) assert.ok(share >= 0 && share <= 1)
})

async function writeFiles(t: TestContext, files: Files, folder?: string): Promise<string> {
  const root = folder ?? (await mkdtemp(join(tmpdir(), 'trawl-load-')))
  if (!folder) t.after(() => rm(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return root
}

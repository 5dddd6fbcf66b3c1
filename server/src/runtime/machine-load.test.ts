import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLoadGauge } from './machine-load.ts'

type Files = Record<string, string>

/** A machine of two processors with 1000 kB, of which 600 could be had. */
const machine: Files = {
  'proc/stat': 'cpu  100 0 100 700 50 10 10 30 0 0\ncpu0 1 2 3 4\n',
  'proc/meminfo': 'MemTotal:       1000 kB\nMemFree:  100 kB\nMemAvailable:    600 kB\n',
}
/** 200 ticks later, of which 50 were spent and 50 lost to other machines. */
const aSecondLater: Files = { 'proc/stat': 'cpu  120 0 120 790 60 15 15 80 0 0\n' }

const unified = 'sys/fs/cgroup/service'
const unifiedFiles: Files = {
  'proc/self/cgroup': '0::/service/worker\n',
  'sys/fs/cgroup/cgroup.controllers': 'cpu memory\n',
  [`${unified}/cpu.max`]: '50000 100000\n',
  [`${unified}/cpu.stat`]: 'usage_usec 1000000\nuser_usec 1\n',
  [`${unified}/memory.max`]: '1000\n',
  [`${unified}/memory.current`]: '950\n',
  [`${unified}/memory.stat`]: 'anon 500\ninactive_file 200\n',
  [`${unified}/worker/cpu.max`]: 'max 100000\n',
  [`${unified}/worker/memory.max`]: 'max\n',
}
const old = 'sys/fs/cgroup'
const oldFiles: Files = {
  'proc/self/cgroup': '4:memory:/docker/1\n3:cpu,cpuacct:/docker/1\n0::/\n',
  [`${old}/cpu/cpu.cfs_quota_us`]: '50000\n',
  [`${old}/cpu/cpu.cfs_period_us`]: '100000\n',
  [`${old}/cpuacct/cpuacct.usage`]: '1000000000\n',
  [`${old}/memory/memory.limit_in_bytes`]: '1000\n',
  [`${old}/memory/memory.usage_in_bytes`]: '950\n',
  [`${old}/memory/memory.stat`]: 'total_inactive_file 200\n',
}

const cases: Record<string, { before: Files; after: Files; load: unknown }> = {
  'a machine alone': {
    before: machine,
    after: aSecondLater,
    load: { cpuBusyShare: 0.5, memoryFreeShare: 0.6 },
  },
  'a group that uses most of what it was given': {
    before: { ...machine, ...unifiedFiles },
    after: { ...aSecondLater, [`${unified}/cpu.stat`]: 'usage_usec 1400000\n' },
    load: { cpuBusyShare: 0.8, memoryFreeShare: 0.25 },
  },
  'a container that sees its group at the top, in the older way': {
    before: { ...machine, ...oldFiles },
    after: { ...aSecondLater, [`${old}/cpuacct/cpuacct.usage`]: '1400000000\n' },
    load: { cpuBusyShare: 0.8, memoryFreeShare: 0.25 },
  },
  'a group that uses little on a busy machine': {
    before: { ...machine, ...unifiedFiles, [`${unified}/memory.current`]: '300' },
    after: aSecondLater,
    load: { cpuBusyShare: 0.5, memoryFreeShare: 0.6 },
  },
  'a system that does not say': { before: {}, after: {}, load: undefined },
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

test('this machine says how busy it is, where it can', async () => {
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

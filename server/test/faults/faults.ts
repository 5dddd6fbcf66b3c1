/** Runs `npm run faults [name] [--seed N] [--long]`: faults that take longer than a test may. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { measureAuth } from './auth/measure-auth.ts'
import { measureBatches } from './batches/measure-batches.ts'
import { measureBrowserKills } from './browser-kills/measure-browser-kills.ts'
import { measureCallers } from './callers/measure-callers.ts'
import { measureCrawls } from './crawls/measure-crawls.ts'
import { measureDiskFull } from './disk-full/measure-disk-full.ts'
import { measureFairness } from './fairness/measure-fairness.ts'
import type { FaultReport, FaultRun } from './fault-report.ts'
import { measureFuzz } from './fuzz/measure-fuzz.ts'
import { measureHostile } from './hostile/measure-hostile.ts'
import { measureIdempotency } from './idempotency/measure-idempotency.ts'
import { measureInterruptions } from './interruptions/measure-interruptions.ts'
import { measureLatency } from './latency/measure-latency.ts'
import { measureLedger } from './ledger/measure-ledger.ts'
import { measureOutages } from './outages/measure-outages.ts'
import { measureOverload } from './overload/measure-overload.ts'
import { measureRecovery } from './recovery/measure-recovery.ts'
import { measureSharing } from './sharing/measure-sharing.ts'
import { measureSoak } from './soak/measure-soak.ts'
import { measureStopping } from './stopping/measure-stopping.ts'
import { measureUpgrades } from './upgrades/measure-upgrades.ts'
import { measureZombies } from './zombies/measure-zombies.ts'

const faults: Record<string, (run: FaultRun) => Promise<FaultReport>> = {
  ledger: measureLedger,
  batches: measureBatches,
  crawls: measureCrawls,
  interruptions: measureInterruptions,
  recovery: measureRecovery,
  zombies: measureZombies,
  idempotency: measureIdempotency,
  stopping: measureStopping,
  fairness: measureFairness,
  sharing: measureSharing,
  outages: measureOutages,
  upgrades: measureUpgrades,
  'disk-full': measureDiskFull,
  hostile: measureHostile,
  callers: measureCallers,
  latency: measureLatency,
  overload: measureOverload,
  fuzz: measureFuzz,
  auth: measureAuth,
  'browser-kills': measureBrowserKills,
  soak: measureSoak,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, long: { type: 'boolean', default: false } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const proofFolder = new URL('../../../docs/proof/', import.meta.url)
mkdirSync(proofFolder, { recursive: true })

for (const [name, measure] of Object.entries(faults)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const replay = `npm run faults ${name} -- --seed ${seed}${values.long ? ' --long' : ''}`
  console.error(`${name}, seed ${seed}`)
  // Read before the run, so that it describes the commit that is tested.
  const about = circumstances()
  const report = await measure({
    seed,
    isLong: values.long,
    say: (line) => console.error(`  ${line}`),
  })
  const page = `# ${report.title}\n\n${about} Replay: \`${replay}\`.\n\n${report.text}\n`
  console.log(page)
  // Only a long run is recorded.
  if (values.long) writeFileSync(new URL(`${name}.md`, proofFolder), page)
  if (!report.isKept) process.exitCode = 1
}

function circumstances(): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const [cpu] = cpus()
  const day = new Date().toISOString().slice(0, 10)
  const gib = Math.round(totalmem() / 1024 ** 3)
  return `${day}, commit ${commit}, Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} × ${cpu?.model.trim()}, ${gib} GiB.`
}

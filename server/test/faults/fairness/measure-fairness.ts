import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, inSeconds, onEmptyStore } from '../fault-stores.ts'
import { type FairnessReport, runFairness } from './run-fairness.ts'

// Some callbacks arrive before the last task is done; at least 5 000 are left.
const cases = [
  { name: 'SQLite, tasks', kind: 'sqlite', lane: 'http', manyCount: 10_000, slotMs: 1_000 },
  { name: 'SQLite, callbacks', kind: 'sqlite', lane: 'delivery', manyCount: 8_000, slotMs: 2_000 },
  { name: 'PostgreSQL, tasks', kind: 'postgres', lane: 'http', manyCount: 10_000, slotMs: 1_000 },
  {
    name: 'PostgreSQL, callbacks',
    kind: 'postgres',
    lane: 'delivery',
    manyCount: 8_000,
    slotMs: 2_000,
  },
] as const

/** One account has thousands of tasks waiting when another submits twenty. */
export async function measureFairness(run: FaultRun): Promise<FaultReport> {
  const reports: Record<string, FairnessReport> = {}
  for (const { name, kind, manyCount, ...given } of cases) {
    const report = await onEmptyStore(kind, (environment) =>
      runFairness({
        ...given,
        environment,
        // With a tenth, all would be done before the rates are measured.
        manyCount: run.isLong ? manyCount : manyCount / 4,
        idleRounds: 3,
        rateMs: 8 * given.slotMs,
      }),
    )
    reports[name] = report
    run.say(`${name}: ${inSeconds(report.idleP95Ms)} idle, ${inSeconds(report.besideP95Ms)} beside`)
  }
  return {
    title: 'Fairness: twenty beside thousands',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: Object.values(reports).every(isKept),
  }
}

const explanation = `One account has thousands of tasks waiting for slow origins, or callbacks for slow receivers; all 64 slots are taken. Then another
sends 20 tasks. Promised: its p95 from submission to callback is at most twice that of an idle service and one slot's time, and
the first loses no more of its rate than the other's share (counted over eight slots' times, within 5 %).`

const promisedMs = (one: FairnessReport): number => 2 * one.idleP95Ms + one.slotMs
const lossOf = (one: FairnessReport): number => 1 - one.rateBeside / one.rateBefore
const countingNoise = 0.05

const isKept = (one: FairnessReport): boolean =>
  one.besideP95Ms <= promisedMs(one) && lossOf(one) <= one.shareOfFew + countingNoise

const inPercent = (share: number): string => `${(100 * share).toFixed(0)} %`

const table = (reports: Record<string, FairnessReport>): string =>
  factTable(reports, {
    'waiting when the other came': (one) => one.waiting,
    "a slot's time": (one) => inSeconds(one.slotMs),
    'p95 of the other, idle': (one) => inSeconds(one.idleP95Ms),
    'p95 of the other, beside': (one) => inSeconds(one.besideP95Ms),
    'promised at most': (one) => inSeconds(promisedMs(one)),
    'of the first, before the last of the other': (one) => one.passedBy,
    'callbacks a second of the first, before': (one) => one.rateBefore.toFixed(1),
    'callbacks a second of the first, beside': (one) => one.rateBeside.toFixed(1),
    'its loss': (one) => inPercent(lossOf(one)),
    "the other's share": (one) => inPercent(one.shareOfFew),
  })

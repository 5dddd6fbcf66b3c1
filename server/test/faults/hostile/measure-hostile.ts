import type { FaultReport, FaultRun } from '../fault-report.ts'
import { type GroupReport, type HostileReport, runHostile } from './run-hostile.ts'
import type { PeerOutcome } from './scrape-origin.ts'

const graceMs = 5_000
const peakMibMax = 512
const bombMibMax = 100

/** Figure A10 without a browser: every hostile target and receiver, and its cost for others. */
export async function measureHostile(run: FaultRun): Promise<FaultReport> {
  const report = await runHostile(run)
  return {
    title: 'Hostile origins and receivers: each comes to its documented end',
    text: [
      explanation,
      groupTable(report),
      ...report.groups
        .filter(({ group }) => group !== 'one bomb')
        .map(({ group, seen }) => `## ${group}\n\n${caseTable(seen)}`),
    ].join('\n\n'),
    isKept: isKept(report),
  }
}

const explanation = `One service in a process of its own; every case of a group at once (bombs also one by one), ten good tasks of another
account beside each group. A case must end as documented within its deadline and ${graceMs / 1_000} s; the service must stay within ${peakMibMax} MiB,
a single bomb within ${bombMibMax} MiB more than before; nothing in the log of attempts may be unprintable.`

function isKept({ groups, unprintable }: HostileReport): boolean {
  return (
    unprintable.length === 0 &&
    groups.every(
      (one) =>
        one.seen.every(isAsDocumented) &&
        one.neighbours.failures.length === 0 &&
        one.peakMib <= peakMibMax &&
        (one.group !== 'one bomb' || one.peakMib - one.beforeMib <= bombMibMax),
    )
  )
}

const isAsDocumented = ({ expected, verdict, tookMs, withinMs }: PeerOutcome): boolean =>
  expected === verdict && tookMs <= withinMs + graceMs

function groupTable({ groups, unprintable }: HostileReport): string {
  const row = (one: GroupReport): string => {
    const slowestMs = Math.max(...one.neighbours.tookMs)
    return `| ${[
      one.group === 'one bomb' ? (one.seen[0]?.name ?? one.group) : one.group,
      `${one.seen.filter(isAsDocumented).length} of ${one.seen.length}`,
      `${one.neighbours.finishedCount} of ${one.neighbours.tookMs.length}`,
      seconds(slowestMs),
      `${Math.round(one.loopMs.p99)} / ${Math.round(one.loopMs.max)} ms`,
      `${Math.round(one.beforeMib)} → ${Math.round(one.peakMib)} MiB`,
      `${Math.round(one.childrenMib)} MiB`,
    ].join(' | ')} |`
  }
  return [
    '| | as documented | good tasks | slowest of them | event loop held p99 / max | memory, at most | its minifiers |',
    '|---|---|---|---|---|---|---|',
    ...groups.map(row),
    '',
    `Unprintable entries in the log of attempts: ${unprintable.length}.`,
  ].join('\n')
}

function caseTable(seen: readonly PeerOutcome[]): string {
  const row = (one: PeerOutcome): string => {
    const verdict =
      one.verdict === one.expected ? one.verdict : `**${one.verdict}**, not ${one.expected}`
    const took = isAsDocumented(one) ? seconds(one.tookMs) : `**${seconds(one.tookMs)}**`
    return `| ${one.name} | ${verdict} | ${took} | ${seconds(one.withinMs)} |`
  }
  return ['| | verdict | after | deadline |', '|---|---|---|---|', ...seen.map(row)].join('\n')
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

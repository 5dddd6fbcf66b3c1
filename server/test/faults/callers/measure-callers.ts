import type { FaultReport, FaultRun } from '../fault-report.ts'
import { hostileCallers } from './hostile-callers.ts'
import { type CallerFinding, startCallerScene } from './run-caller.ts'

const mebibyte = 1024 ** 2
const residentBytesMax = 512 * mebibyte

/** Runs every hostile caller in turn, beside a neighbour who keeps scraping. */
export async function measureCallers(run: FaultRun): Promise<FaultReport> {
  await using scene = await startCallerScene({ connections: run.isLong ? 10_000 : 2_000 })
  const findings: [name: string, CallerFinding][] = []
  for (const name of Object.keys(hostileCallers)) {
    const finding = await scene.run(name)
    run.say(`${name}: ${finding.seen}`)
    findings.push([name, finding])
  }
  return {
    title: 'Hostile callers',
    text: `${explanation}\n\n${table(findings)}`,
    isKept: findings.every(([, finding]) => isKept(finding)),
  }
}

const explanation = `Each row is a caller in a process of its own against one service (\`TRAWL_REQUEST_TIMEOUT=3s\`), with a neighbour beside it who
scrapes one page after the other. Kept is the promise when the caller is answered as documented, the neighbour never
notices more than a delay, and the service stays below 512 MiB.`

const isKept = ({ isAsExpected, neighbour, residentBytes }: CallerFinding): boolean =>
  isAsExpected &&
  neighbour.failures.length + neighbour.refusals === 0 &&
  residentBytes.highest < residentBytesMax

function table(findings: readonly [name: string, CallerFinding][]): string {
  const rows = findings.map(([name, { seen, tookMs, neighbour, residentBytes }]) =>
    [
      hostileCallers[name]?.does,
      seen,
      `${(tookMs / 1000).toFixed(1)} s`,
      `${neighbour.scrapes}, ${neighbour.failures.length + neighbour.refusals} failed`,
      `${Math.round(neighbour.slowestMs)} ms`,
      `${Math.round(residentBytes.highest / mebibyte)} MiB`,
    ].join(' | '),
  )
  return [
    'A caller who … | is answered | after | scrapes beside it | slowest | memory at most',
    '---|---|---|---|---|---',
    ...rows,
  ]
    .map((row) => `| ${row} |`)
    .join('\n')
}

import fc from 'fast-check'
import { makeScratchFolder } from '../../support/scratch-folder.ts'
import { serviceEnvironment } from '../../support/test-service.ts'
import { watchMemory } from '../callers/run-caller.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { KillableService } from '../ledger/killable-service.ts'
import { everyAnswerIsDocumented, fuzzEnvironment } from './fuzz-requests.ts'

/** Sends generated requests to every route, from nearly valid to nonsense. */
export async function measureFuzz(run: FaultRun): Promise<FaultReport> {
  const requests = run.isLong ? 50_000 : 5_000
  await using folder = await makeScratchFolder()
  await using service = new KillableService({
    ...serviceEnvironment({ dataDir: folder.path }),
    ...fuzzEnvironment,
  })
  await service.start()
  const memory = await watchMemory(service.url)
  const statuses = new Map<number, number>()
  const property = everyAnswerIsDocumented(service.url, statuses)
  const found = await fc.check(property, { numRuns: requests, seed: run.seed })
  const { highest } = await memory.stop()
  const counts = [...statuses].sort(([a], [b]) => a - b)
  const rows = [
    ['requests', requests],
    ['answers', counts.map(([status, count]) => `${count} × ${status}`).join(', ')],
    ['answers that are not as documented', found.failed ? 'one, below' : 'none'],
    ['resident memory at most', `${Math.round(highest / 1024 ** 2)} MiB`],
  ]
  const table = ['| | |', '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')
  return {
    title: 'Fuzz: no answer but documented ones',
    text: `${explanation}\n\n${table}${found.failed ? `\n\n${fc.defaultReportMessage(found)}` : ''}`,
    isKept: !found.failed,
  }
}

const explanation = `Requests are generated from the routes, their fields and a list of naughty texts; nine in ten are well-formed enough to reach a
route. No answer may be a 5xx; every error has one of the documented bodies, its correlation id in \`X-Request-Id\` too, and
\`retryable\` as the code says.`

import { crashPoints, crawlCrashPoints, jobCrashPoints } from '../../../src/runtime/crash-point.ts'
import type { FaultReport, FaultRun } from '../fault-report.ts'
import { factTable, onEmptyStore } from '../fault-stores.ts'
import { openBeside } from '../service-process.ts'
import { type CrawlsOptions, type CrawlsReport, runCrawls } from './run-crawls.ts'

/** Their results are kept, to be compared. */
const points = [...crashPoints, ...jobCrashPoints, ...crawlCrashPoints].filter(
  (point) => point !== 'during_retention',
)

/** Crawls while the service is killed, on both stores, with fsync as in production. */
export async function measureCrawls(run: FaultRun): Promise<FaultReport> {
  const onStore = (kind: 'sqlite' | 'postgres', site: SiteUnderFaults) =>
    onEmptyStore(kind, async (environment) => {
      await using store = await openBeside(environment)
      return await runCrawls({
        ...site,
        seed: run.seed,
        environment,
        db: store.db,
        crashPoints: points,
        killEveryMs: 3_000,
        onProgress: (line) => run.say(`${kind}, ${site.goodPageCount} pages: ${line}`),
      })
    })
  const small = {
    goodPageCount: 60,
    randomKills: run.isLong ? 200 : 100,
    crashRounds: run.isLong ? 3 : 1,
  }
  const large = { goodPageCount: 1_000, randomKills: run.isLong ? 60 : 20, crashRounds: 0 }
  const onBoth = (site: SiteUnderFaults) =>
    Promise.all([onStore('sqlite', site), onStore('postgres', site)])
  const [sqlite, postgres] = await onBoth(small)
  const [largeSqlite, largePostgres] = await onBoth(large)
  const reports = {
    SQLite: sqlite,
    PostgreSQL: postgres,
    'SQLite, 1 000 pages': largeSqlite,
    'PostgreSQL, 1 000 pages': largePostgres,
  }
  const problems = Object.values(reports).flatMap((report) => report.problems)
  for (const problem of problems) run.say(problem)
  return {
    title: 'Crawls: the same pages after kills',
    text: `${explanation}\n\n${table(reports)}`,
    isKept: problems.length === 0,
  }
}

type SiteUnderFaults = Pick<CrawlsOptions, 'goodPageCount' | 'randomKills' | 'crashRounds'>

const explanation = `A site of traps is crawled again and again while the service is killed with SIGKILL at every named moment (\`runtime/crash-point.ts\`)
and at random. Each finished crawl is compared with the graph that the site was generated from, with the origin's own log and with the
events: exactly the right pages in one final state each, none failed that the origin would have answered, counts that add up, one event for each
receiver, no page fetched more often than once and once more for each kill. What was being fetched at two kills is given the time to end alone,
since a third kill then would make it the suspect. A lease lasts 1 s, to see more faults in the same time.`

const table = (reports: Record<string, CrawlsReport>): string =>
  factTable(reports, {
    'crawls finished': (one) => one.crawlCount,
    'crawls of one page beside them': (one) => one.smallCrawlCount,
    'pages of these': (one) => one.pageCount,
    'requests at the origin': (one) => one.requestCount,
    kills: (one) => one.killCount,
    'of these at named moments': (one) => one.crashedAt.length,
    'wrong or failed pages, wrong counts, events or requests': (one) => one.problems.length,
  })

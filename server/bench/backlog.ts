import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { defaultScrapeOptions } from '../src/domain/scrape/scrape-options.ts'
import { type BenchRow, compare } from './bench-row.ts'
import {
  apiKey,
  makeFolder,
  type Program,
  runProgram,
  startProgram,
  startRpcProcess,
  startTrawl,
  stopProgram,
  trawlEnvironment,
} from './program.ts'

const most = { stored: 1_000_000, queued: 100_000 }
const burst = { together: 64, warmUpMs: 1_500, ms: 2_000 }

/** Scrapes per second beside a million stored and 100 000 waiting tasks, compared with none. */
export async function measureBacklog(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const urls = await peers.call<{ originUrl: string; receiverUrls: string[] }>({ kind: 'urls' })
  const empty = await startTrawl(resources)
  const dataDir = await fillStore(resources, urls, most)
  const full = await startTrawl(resources, { TRAWL_DATA_DIR: dataDir })
  // A stopped process ignores SIGTERM, so it is resumed before the clean-up.
  resources.defer(() => void full.child.kill('SIGCONT'))
  full.child.kill('SIGSTOP')
  const rate = async ({ url: serviceUrl }: Program) => {
    const question = { kind: 'callbacks', serviceUrl, apiKey, ...burst }
    const { perSecond, fetchedPerSecond } = await peers.call<Rates>(question)
    // With a backlog pages are fetched ahead of being delivered: each is half of the work.
    return (perSecond + fetchedPerSecond) / 2
  }
  return [
    await compare(
      {
        measure: `scrapes with ${most.stored} stored and ${most.queued} queued tasks, SQLite`,
        baselineName: 'the same with an empty store',
      },
      {
        async ours() {
          full.child.kill('SIGCONT')
          const perSecond = await rate(full)
          // Paused, so that it does not work on its backlog while the other is measured.
          full.child.kill('SIGSTOP')
          return perSecond
        },
        bare: () => rate(empty),
      },
      5,
    ),
  ]
}

interface Rates {
  perSecond: number
  fetchedPerSecond: number
}

/** A store filled directly for another account, so that the measurement need not wait for it. */
export async function fillStore(
  resources: AsyncDisposableStack,
  urls: { originUrl: string; receiverUrls: string[] },
  { stored, queued }: { stored: number; queued: number },
): Promise<string> {
  const dataDir = await makeFolder(resources)
  const environment = trawlEnvironment(dataDir)
  await stopProgram(await startProgram(['../src/cli.ts', 'serve'], environment))
  // A complete account, since its callbacks are signed.
  await runProgram(['../src/cli.ts', 'accounts', 'create', 'backlog'], environment)
  using file = new DatabaseSync(join(dataDir, 'trawl.db'))
  const request = JSON.stringify({
    url: `${urls.originUrl}/page`,
    options: defaultScrapeOptions,
    timeoutMs: 60_000,
    forwardedHeaders: {},
  })
  file.exec(`
    begin;
    create temp table numbers as
      with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${Math.max(stored, queued)})
      select n, printf('%08x-0000-7000-8000-%012x', n, n) as id,
             (select id from accounts where username = 'backlog') as account_id
      from counted;
    insert into tasks (id, account_id, kind, url, callback_url, callback_on_failure, request, state,
                       attempts, attempt_log, created_at_ms, completed_at_ms)
      select id, account_id, 'callback', 'x', 'x', 1, '{}', 'completed', 1, '[]', n, n from numbers where n <= ${stored};
    insert into deliveries (id, account_id, task_id, state, attempts, schedule_step, created_at_ms,
                            delivered_at_ms, ended_at_ms)
      select id, account_id, id, 'delivered', 1, 1, n, n, n from numbers where n <= ${stored};
    insert into tasks (id, account_id, kind, url, callback_url, callback_on_failure, request, state,
                       attempts, attempt_log, created_at_ms)
      select 'f' || substr(id, 2), account_id, 'callback', '${urls.originUrl}/page',
             json_extract('${JSON.stringify(urls.receiverUrls)}', '$[' || (n % ${urls.receiverUrls.length}) || ']')
               || '/backlog', 1, '${request}', 'open', 0, '[]', n
      from numbers where n <= ${queued};
    insert into queue_entries (id, lane, work_id, account_id, flow, state, fence, crashes)
      select 'f' || substr(id, 2), 'http', 'f' || substr(id, 2), account_id, account_id || '//', 'ready', 0, 0
      from numbers where n <= ${queued};
    commit;`)
  return dataDir
}

import { startPostgres } from '../test/support/postgres-server.ts'
import { type BenchFact, median } from './bench-row.ts'
import { apiKey, startRpcProcess, startTrawl } from './program.ts'

const slots = 8
const originMs = 200
const workerCounts = [1, 2, 4, 8]
const rounds = 3
const secretKey = Buffer.alloc(32).toString('base64')

/** Callbacks by some workers on one PostgreSQL, as a share of what their slots could do with an origin so far away. */
export async function measureWorkerScaling(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  await peers.call({ kind: 'urls' })
  const shares: string[] = []
  for (const workers of workerCounts) shares.push((await measure(peers, workers)).toFixed(2))
  return [
    {
      measure: `callbacks by ${workerCounts.join(', ')} workers with ${slots} slots each on one PostgreSQL, origin of ${originMs} ms: share of linear`,
      figure: shares.join(', '),
      wanted: '8 workers ≥ 0.75',
    },
  ]
}

async function measure(
  peers: ReturnType<typeof startRpcProcess>,
  workers: number,
): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres())
  const shared = {
    TRAWL_DATABASE_URL: server.url,
    TRAWL_SECRET_KEY: secretKey,
    TRAWL_HTTP_CONCURRENCY: `${slots}`,
  }
  const api = await startTrawl(stack, { ...shared, TRAWL_ROLES: 'api' })
  await Promise.all(
    Array.from({ length: workers }, () =>
      startTrawl(stack, { ...shared, TRAWL_ROLES: 'worker,delivery' }),
    ),
  )
  const linear = (workers * slots * 1_000) / originMs
  const found: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const { perSecond } = await peers.call<{ perSecond: number }>({
      kind: 'callbacks',
      serviceUrl: api.url,
      apiKey,
      pagePath: '/slow',
      together: workers * slots * 3,
      warmUpMs: 2_000,
      ms: 5_000,
    })
    found.push(perSecond / linear)
  }
  return median(found)
}

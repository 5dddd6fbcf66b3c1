import { startPostgres } from '../test/support/postgres-server.ts'
import type { BenchFact } from './bench-row.ts'
import { apiKey, type Program, startRpcProcess, startTrawl } from './program.ts'

interface Latencies {
  startMs: { p50: number; p99: number }
  callbackMs: { p50: number; p99: number }
}

/** The latency of single tasks on an idle service. */
export async function measureLatency(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const measure = async (name: string, service: Program, startWanted: string) => {
    const question = { kind: 'latency', serviceUrl: service.url, apiKey }
    const { startMs, callbackMs } = await peers.call<Latencies>(question)
    return [
      {
        measure: `${name}, idle: submitted → target asked, p50`,
        figure: `${startMs.p50.toFixed(1)} ms`,
        wanted: startWanted,
      },
      {
        measure: `${name}, idle: target has answered → callback arrives, p50, p99`,
        figure: `${callbackMs.p50.toFixed(1)}, ${callbackMs.p99.toFixed(1)} ms`,
        wanted: '≤ 10, 100 ms',
      },
    ]
  }

  const sqlite = await startTrawl(resources)
  const server = resources.use(await startPostgres())
  const postgres = await startTrawl(resources, {
    TRAWL_DATABASE_URL: server.url,
    TRAWL_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  })
  return [
    ...(await measure('SQLite', sqlite, '≤ 5 ms')),
    ...(await measure('PostgreSQL', postgres, '≤ 10 ms')),
  ]
}

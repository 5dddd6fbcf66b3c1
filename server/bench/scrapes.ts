import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, type RpcProcess, startRpcProcess, startTrawl } from './program.ts'

const together = 64
const burst = { together, warmUpMs: 300, ms: 2_000 }
const rounds = 7

/** Durable scrapes per second, compared with the two bare HTTP requests that each consists of. */
export async function measureScrapes(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const bare = resources.use(startRpcProcess('bare-scraper.ts'))
  const service = await startTrawl(resources)
  const urls = await peers.call<{ originUrl: string; receiverUrls: string[] }>({ kind: 'urls' })
  const rate = async (asked: RpcProcess, question: object) =>
    (await asked.call<{ perSecond: number }>({ ...burst, ...question })).perSecond

  const ofService = { serviceUrl: service.url, apiKey }
  const ofBacklog = (receiverCount: number, underWay: number) => () =>
    rate(peers, {
      kind: 'callbacks',
      ...ofService,
      receiverCount,
      together: underWay,
      pagePath: '/small-page',
    })
  return [
    await compare(
      {
        measure: 'scrapes in callback mode, accepted to delivered, SQLite',
        baselineName: 'undici GET, gunzip, POST in a loop',
      },
      {
        ours: () => rate(peers, { kind: 'callbacks', ...ofService }),
        bare: () => rate(bare, { kind: 'callbacks', ...urls }),
      },
      rounds,
    ),
    await compare(
      { measure: 'scrapes in realtime mode, SQLite', baselineName: 'undici GET, gunzip in a loop' },
      {
        ours: () => rate(peers, { kind: 'realtime', ...ofService }),
        bare: () => rate(bare, { kind: 'realtime', ...urls }),
      },
      rounds,
    ),
    // A caller usually has one callback URL, which gets at most ten concurrent deliveries.
    await compare(
      {
        measure: 'callbacks to 1 receiver, 64 under way, 20 KiB page',
        baselineName: 'to 8 receivers, 64 under way',
      },
      { ours: ofBacklog(1, 64), bare: ofBacklog(8, 64) },
      rounds,
    ),
    await compare(
      {
        measure: 'callbacks to 1 receiver, 2 000 under way, 20 KiB page',
        baselineName: 'to 8 receivers, 2 000 under way',
      },
      { ours: ofBacklog(1, 2_000), bare: ofBacklog(8, 2_000) },
      rounds,
    ),
    await compare(
      {
        measure: 'callbacks to 1 receiver, 2 000 under way, 20 KiB page',
        baselineName: 'undici GET, gunzip, POST in a loop',
      },
      {
        ours: ofBacklog(1, 2_000),
        bare: () =>
          rate(bare, {
            kind: 'callbacks',
            originUrl: urls.originUrl,
            receiverUrls: urls.receiverUrls.slice(0, 1),
            pagePath: '/small-page',
          }),
      },
      rounds,
    ),
  ]
}

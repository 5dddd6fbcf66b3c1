import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, type RpcProcess, startRpcProcess, startTrawl } from './program.ts'

const pageCount = 1_000
const burst = { together: 64, warmUpMs: 300, ms: 2_000 }
const rounds = 5

/** Pages per second of a batch, beside single callbacks and beside bare requests for the same page. */
export async function measureBatch(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const bare = resources.use(startRpcProcess('bare-scraper.ts'))
  const receiver = resources.use(await startReceiver())
  const service = await startTrawl(resources)
  const urls = await peers.call<{ originUrl: string; receiverUrls: string[] }>({ kind: 'urls' })
  const rate = async (asked: RpcProcess, question: object) =>
    (await asked.call<{ perSecond: number }>({ ...burst, ...question })).perSecond
  const ours = () => runBatch(service.url, `${urls.originUrl}/page`, receiver)
  const measure = `pages of a batch of ${pageCount}, accepted to completed, SQLite`
  // The first one compiles what it runs.
  await ours()
  return [
    await compare(
      { measure, baselineName: 'single scrapes in callback mode, 64 under way' },
      {
        ours,
        bare: () => rate(peers, { kind: 'callbacks', serviceUrl: service.url, apiKey }),
      },
      rounds,
    ),
    await compare(
      { measure, baselineName: 'undici GET, gunzip in a loop' },
      { ours, bare: () => rate(bare, { kind: 'realtime', ...urls }) },
      rounds,
    ),
  ]
}

interface Receiver extends Disposable {
  readonly url: string
  whenCalled(): Promise<unknown>
}

async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.end()
      server.emit('called')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    whenCalled: () => once(server, 'called'),
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Resolves with the pages per second from the request to the event of the end. */
async function runBatch(serviceUrl: string, pageUrl: string, receiver: Receiver): Promise<number> {
  const called = receiver.whenCalled()
  const startedAtMs = performance.now()
  const response = await fetch(`${serviceUrl}/v1/batch`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      urls: Array(pageCount).fill(pageUrl),
      // As a single scrape gives it, so that both do the same work on each page.
      formats: ['html'],
      callback_url: receiver.url,
    }),
  })
  if (response.status !== 202) throw new Error(`not accepted: ${response.status}`)
  await response.arrayBuffer()
  await called
  return pageCount / ((performance.now() - startedAtMs) / 1_000)
}

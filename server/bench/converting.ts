import { type BenchFact, type BenchRow, compare } from './bench-row.ts'
import { apiKey, type RpcProcess, startRpcProcess, startTrawl } from './program.ts'

const rounds = 7
const sizes = [
  { name: '20 KB', bytes: 20_000, ms: 1_000 },
  { name: '200 KB', bytes: 200_000, ms: 2_000 },
  { name: '2 MB', bytes: 2_000_000, ms: 4_000 },
]

/** What content threads and the way through the service add to converting a page. */
export async function measureConverting(): Promise<(BenchRow | BenchFact)[]> {
  return [...(await measureMarkdown()), await measureExtractions()]
}

const rate = async (asked: RpcProcess, question: object) =>
  (await asked.call<{ perSecond: number }>(question)).perSecond

async function measureMarkdown(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const threads = resources.use(startRpcProcess('page-converter.ts'))
  const alone = resources.use(startRpcProcess('page-converter.ts'))
  const turndown = resources.use(startRpcProcess('page-converter.ts'))
  const facts: BenchFact[] = []
  for (const { name, bytes, ms } of sizes) {
    const burst = { bytes, ms, warmUpMs: ms / 2 }
    const { value, baseline, ratio } = await compare(
      { measure: name, baselineName: 'the same steps alone' },
      {
        ours: () => rate(threads, { ...burst, kind: 'threads' }),
        bare: () => rate(alone, { ...burst, kind: 'alone' }),
      },
      rounds,
    )
    const bare = await rate(turndown, { ...burst, kind: 'turndown' })
    const [ours, steps, library] = [value, baseline, bare].map((each) => (1_000 / each).toFixed(1))
    facts.push({
      measure: `markdown of a page of ${name} in the content threads, by the same steps alone, by bare turndown`,
      figure: `${ours}, ${steps}, ${library} ms a page; ${(1 / ratio).toFixed(2)} × of the steps`,
      wanted: '≤ 1.3 ×',
    })
  }
  return facts
}

async function measureExtractions(): Promise<BenchRow> {
  await using resources = new AsyncDisposableStack()
  const peers = resources.use(startRpcProcess('scrape-peers.ts'))
  const service = await startTrawl(resources)
  const question = {
    serviceUrl: service.url,
    apiKey,
    together: 64,
    warmUpMs: 500,
    ms: 2_000,
    pagePath: '/article',
  }
  return await compare(
    {
      measure: 'extractions of markdown, synchronous, page of 20 KB, SQLite',
      baselineName: 'scrapes of the same page in realtime mode',
    },
    {
      ours: () => rate(peers, { ...question, kind: 'extractions' }),
      bare: () => rate(peers, { ...question, kind: 'realtime' }),
    },
    rounds,
  )
}

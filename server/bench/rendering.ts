import { withBrowser } from '../test/support/real-browser.ts'
import { type BenchRow, compare } from './bench-row.ts'
import { apiKey, type RpcProcess, startRpcProcess, startTrawl } from './program.ts'
import { everything } from './render-once.ts'
import type { RenderingPage } from './rendering-site.ts'

// One per core: more would only wait for each other.
const together = 2
const burst = { together, warmUpMs: 500, ms: 4_000 }
const rounds = 10

interface Rendering {
  page: RenderingPage
  about: string
  configurations: object
}

const real = 'a page of 292 KB with 10 000 elements and 30 files'
const renderings: readonly Rendering[] = [
  { page: 'tiny', about: 'a page of one line', configurations: everything },
  {
    page: 'spa',
    about: 'a page of 107 KB of script and two fetches',
    configurations: everything,
  },
  { page: 'real', about: `${real}, all of them loaded`, configurations: everything },
  { page: 'real', about: `${real}, by default`, configurations: { js_render: true } },
]

/** Pages rendered per second in realtime mode, compared with a bare loop on the same browser. */
export async function measureRendering(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const site = resources.use(startRpcProcess('rendering-site.ts'))
  const bare = resources.use(startRpcProcess('bare-puppeteer.ts'))
  const callers = resources.use(startRpcProcess('rendering-callers.ts'))
  const service = await startTrawl(resources, await withBrowser())
  const { siteUrl } = await site.call<{ siteUrl: string }>({})
  const rate = async (asked: RpcProcess, { page, configurations }: Rendering) =>
    (
      await asked.call<{ perSecond: number }>({
        url: `${siteUrl}/${page}`,
        serviceUrl: service.url,
        apiKey,
        configurations,
        ...burst,
      })
    ).perSecond

  const rows: BenchRow[] = []
  for (const rendering of renderings) {
    const names = {
      measure: `rendered, in realtime mode: ${rendering.about}`,
      baselineName: 'puppeteer in a loop, a new context for each page, no sandbox',
    }
    const sides = { ours: () => rate(callers, rendering), bare: () => rate(bare, rendering) }
    rows.push(await compare(names, sides, rounds))
  }
  return rows
}

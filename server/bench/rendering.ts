import { withBrowser } from '../test/support/real-browser.ts'
import { type BenchRow, compare } from './bench-row.ts'
import { type Asked, apiKey, startAsked, startTrawl } from './program.ts'
import type { RenderingPage } from './rendering-site.ts'

// As many as there are cores: more only wait for each other.
const together = 2
const burst = { together, warmUpMs: 500, ms: 4_000 }
const rounds = 10

const pages: Record<RenderingPage, string> = {
  tiny: 'a page of one line',
  spa: 'a page of 107 KB of script and two fetches',
  real: 'a page of 292 KB with 10 000 elements and 30 files',
}

/** Rendered pages a second, asked for in realtime mode, beside a bare loop on the same browser. */
export async function measureRendering(): Promise<BenchRow[]> {
  await using resources = new AsyncDisposableStack()
  const site = resources.use(startAsked('rendering-site.ts'))
  const bare = resources.use(startAsked('bare-puppeteer.ts'))
  const callers = resources.use(startAsked('rendering-callers.ts'))
  const service = await startTrawl(resources, await withBrowser())
  const { siteUrl } = await site.ask<{ siteUrl: string }>({})
  const rate = async (asked: Asked, page: string) =>
    (
      await asked.ask<{ perSecond: number }>({
        url: `${siteUrl}/${page}`,
        serviceUrl: service.url,
        apiKey,
        ...burst,
      })
    ).perSecond

  const rows: BenchRow[] = []
  for (const [page, about] of Object.entries(pages)) {
    const names = {
      measure: `rendered, in realtime mode: ${about}`,
      baselineName: 'puppeteer in a loop, a new context for each page, no sandbox',
    }
    rows.push(
      await compare(
        names,
        { ours: () => rate(callers, page), bare: () => rate(bare, page) },
        rounds,
      ),
    )
  }
  return rows
}

import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { residentMib } from '../test/faults/process-facts.ts'
import { listBrowserProcesses } from '../test/support/browser-processes.ts'
import { withBrowser } from '../test/support/real-browser.ts'
import type { BenchFact } from './bench-row.ts'
import { apiKey, startRpcProcess, startTrawl } from './program.ts'
import { everything, renderOnce } from './render-once.ts'

const rounds = 4
const pagesARound = 500
const together = 2
const restMs = 5_000

/** Memory and processes that rendering leaves behind, measured at rest after each round. */
export async function measureRenderingWear(): Promise<BenchFact[]> {
  await using resources = new AsyncDisposableStack()
  const site = resources.use(startRpcProcess('rendering-site.ts'))
  const { siteUrl } = await site.call<{ siteUrl: string }>({})
  const service = await startTrawl(resources, await withBrowser())
  const pid = Number(service.child.pid)
  const pool = resources.adopt(new Pool(service.url, { connections: together }), (one) =>
    one.close(),
  )
  const memory: number[] = []
  const processes: number[] = []
  for (let round = 0; round < rounds; round++) {
    let left = pagesARound
    const go = async () => {
      while (left > 0) {
        left -= 1
        await renderOnce(pool, { apiKey, url: `${siteUrl}/spa`, configurations: everything })
      }
    }
    await Promise.all(Array.from({ length: together }, go))
    await pause(restMs)
    memory.push(Math.round(residentMib(pid)))
    processes.push(listBrowserProcesses(pid).length)
  }
  const after = `after ${memory.map((_, round) => (round + 1) * pagesARound).join(', ')} rendered pages`
  return [
    {
      measure: `resident memory of the service ${after}`,
      figure: `${memory.join(', ')} MiB`,
      wanted: 'flat',
    },
    {
      measure: `processes of its browser at rest ${after}`,
      figure: processes.join(', '),
      wanted: 'the same',
    },
  ]
}

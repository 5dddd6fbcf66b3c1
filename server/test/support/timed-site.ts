import type { TestContext } from 'node:test'
import { linkPage } from './link-pages.ts'
import { startPageSite } from './page-site.ts'

/** A site with a few pages; it records when each was asked for and answered. */
export async function startTimedSite(t: TestContext, robots = '') {
  const site = await startPageSite(t)
  const paths = Array.from({ length: 6 }, (_, index) => `/page/${index}`)
  const times: { startedAtMs: number; endedAtMs: number }[] = []
  let failuresLeft = 0
  for (const path of ['/', ...paths]) {
    site.page(path, (_, response) => {
      const one = { startedAtMs: performance.now(), endedAtMs: 0 }
      times.push(one)
      response.once('close', () => {
        one.endedAtMs = performance.now()
      })
      failuresLeft -= 1
      response.writeHead(failuresLeft >= 0 ? 500 : 200, { 'content-type': 'text/html' })
      response.end(linkPage(paths))
    })
  }
  site.page('/robots.txt', robots)
  return {
    site,
    times,
    failNext: (count: number) => {
      failuresLeft = count
    },
    pausesMs: () =>
      times.slice(1).map(({ startedAtMs }, index) => startedAtMs - (times[index]?.endedAtMs ?? 0)),
  }
}

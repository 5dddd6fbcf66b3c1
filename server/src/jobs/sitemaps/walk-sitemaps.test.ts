import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlset } from '../../../test/support/discovery.ts'
import { onEachTurn } from '../../../test/support/each-turn.ts'
import { MemorySite } from '../../../test/support/memory-site.ts'
import { walkSitemaps } from './walk-sitemaps.ts'

test('others have their turns while the URLs of a sitemap are chosen', async (t) => {
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  let inTurn = 0
  let mostInTurn = 0
  onEachTurn(t, () => {
    inTurn = 0
  })
  const urls = Array.from({ length: 200 }, (_, number) => `https://shop.test/${number}`)
  const site = new MemorySite({ '/sitemap.xml': urlset(...urls) })
  const chosen: string[] = []

  for await (const sitemap of walkSitemaps({
    accountId: 'ada',
    origins: ['https://shop.test'],
    fetchBytes: site.fetchBytes,
    chooseUrl: (url) => {
      // A millisecond for each.
      nowMs += 1
      inTurn += 1
      mostInTurn = Math.max(mostInTurn, inTurn)
      return url
    },
    isOnSite: () => true,
    urlsMax: 1_000,
    signal: new AbortController().signal,
  })) {
    chosen.push(...sitemap.urls)
  }

  assert.deepEqual(chosen, urls)
  assert.ok(mostInTurn <= 5, `There were ${mostInTurn} ms of work in one turn.`)
})

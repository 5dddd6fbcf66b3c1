import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { JobView } from '../../storage/tables/jobs.ts'
import type { FetchedBytes } from '../sitemaps/fetched-bytes.ts'
import { createPoliteness } from './politeness.ts'

/** Crawls of accounts by name, and a count of the robots.txt that are being fetched for each. */
function openScene(robots?: string) {
  const open: { accountId: string; answer(): void }[] = []
  const { ofPages, inTurns } = createPoliteness({
    fetchDocument: ({ accountId }, { url }) => {
      const { promise, resolve } = Promise.withResolvers<FetchedBytes>()
      const answer = () => {
        open.splice(open.indexOf(fetching), 1)
        resolve({
          status: robots === undefined ? 404 : 200,
          finalUrl: url,
          contentType: undefined,
          chunks: Readable.from([Buffer.from(robots ?? '')]),
        })
      }
      const fetching = { accountId, answer }
      open.push(fetching)
      return promise
    },
  })
  return {
    ofPages,
    crawl(accountId: string, name: string, hostCount: number, politeness = inTurns) {
      const crawl = { respectsRobots: true, seed: { url: `http://${name}.test/` } }
      const job = { id: name, accountId, request: { crawl } } as unknown as JobView
      const urls = Array.from({ length: hostCount }, (_, at) => `http://${name}-${at}.test/`)
      return Promise.all(urls.map((url) => politeness.pausesOf(job, url)))
    },
    openCount: (accountId: string) => open.filter((one) => one.accountId === accountId).length,
    async answerUntil(done: Promise<unknown>) {
      let isDone = false
      void done.then(() => {
        isDone = true
      })
      while (!isDone) {
        open[0]?.answer()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async answerAll() {
      while (open.length > 0) {
        open[0]?.answer()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

test('the crawls of an account fetch 16 robots.txt at once, and all the others in turn', async () => {
  const { crawl, openCount, answerAll } = openScene()
  const crawls = [crawl('ada', 'one', 20), crawl('ada', 'two', 20)]
  assert.equal(openCount('ada'), 16)

  await answerAll()

  assert.deepEqual(
    (await Promise.all(crawls)).map(({ length }) => length),
    [20, 20],
  )
})

test('64 robots.txt are fetched at once, and one more for an account that fetches none', async () => {
  const { crawl, openCount, answerAll } = openScene()
  const greedy = ['a', 'b', 'c', 'd']
  const crawls = greedy.map((accountId) => crawl(accountId, accountId, 100))
  crawls.push(crawl('other', 'other', 2))

  assert.deepEqual(greedy.map(openCount), [16, 16, 16, 16])
  assert.equal(openCount('other'), 1)

  await answerAll()
  await Promise.all(crawls)
})

test('a robots.txt that is kept is there at once, however many are being fetched', async () => {
  const { crawl, openCount, answerAll } = openScene()
  const first = crawl('ada', 'known', 1)
  await answerAll()
  await first
  const crawls = crawl('ada', 'many', 40)

  await crawl('ada', 'known', 1)

  assert.equal(openCount('ada'), 16)
  await answerAll()
  await crawls
})

test('the end of a page waits for no turn, also where a crawl waits for the same robots.txt', async () => {
  const { crawl, ofPages, openCount, answerAll } = openScene()
  const crawls = [crawl('ada', 'many', 16), crawl('ada', 'same', 2)]

  crawls.push(crawl('ada', 'same', 1, ofPages))

  assert.equal(openCount('ada'), 17)
  await answerAll()
  await Promise.all(crawls)
})

test('large robots.txt of one account do not displace those that others have', async () => {
  const rules = Array.from({ length: 9_000 }, (_, at) => `disallow: /${'<'.repeat(40)}${at}`)
  const { crawl, openCount, answerUntil } = openScene(['user-agent: *', ...rules].join('\n'))
  await answerUntil(crawl('other', 'small', 1))
  await answerUntil(crawl('ada', 'large', 32))

  const again = [crawl('other', 'small', 1), crawl('ada', 'large', 1)]

  assert.deepEqual([openCount('other'), openCount('ada')], [0, 1])
  await answerUntil(Promise.all(again))
})

import { expect, expectEqual, rejection, take } from './expect-trial.ts'
import type { TrialStep } from './run-trial.ts'

// One attempt is enough where a page is meant to fail.
const once = { configurations: { retries: { maxRetries: 0 } } }

/** Each method of the client once, by what it is about. */
export const everyMethod: Record<string, TrialStep> = {
  async 'the state of the service'({ trawl: { service } }) {
    expectEqual((await service.getLiveness()).status, 'alive')
    expectEqual((await service.getReadiness()).status, 'ready')
    expectEqual((await service.getHealth()).service, 'trawl')
    expect((await service.getMetrics()).includes('# TYPE'), 'metrics')
    expect(await service.getPressure(), 'a pressure')
    expect(await service.getCapabilities(), 'capabilities')
    expectEqual((await service.getOpenapi())['openapi'], '3.1.0')
  },

  async 'a page while one waits'({ trawl, site }) {
    const page = await trawl.scrape({ url: site('index'), formats: ['markdown', 'links'] })
    expect(page.data.markdown?.includes('Fish'), 'markdown of the page')
    expectEqual(page.metadata.http_status, 200)
    expectEqual((await trawl.getScrape(page.job_id)).status, 'completed')
  },

  async 'a page as a job'({ trawl, site }) {
    const { job_id } = await trawl.startScrape({ url: site('image'), ...once })
    const page = await trawl.waitForScrape(job_id)
    expectEqual(page.data.file?.content_type, 'image/png')
    const file = await trawl.getScrapeFile(job_id)
    expectEqual(file.size, page.data.file?.bytes)
    const listed = await take(trawl.listScrapes({ job_id }))
    expectEqual(
      listed.map((job) => job.job_id),
      [job_id],
    )
  },

  async 'a batch'({ trawl, site }) {
    const urls = ['a', 'b', 'reset'].map(site)
    const seen: number[] = []
    const { job_id } = await trawl.startBatch({ urls, ...once })
    const ended = await trawl.waitForBatch(job_id, {
      interval: 50,
      onProgress: ({ pending_urls }) => seen.push(pending_urls),
    })
    expectEqual([ended.completed_urls, ended.failed_urls, seen.at(-1)], [2, 1, 0])
    const results = await take(trawl.batchResults(job_id))
    expectEqual(
      results.map(({ url, status }) => [url, status]),
      urls.map((url) => [url, url.endsWith('reset') ? 'failed' : 'completed']),
    )
    expectEqual((await trawl.getBatch(job_id, { page_size: 1 })).results.length, 1)
    expectEqual((await trawl.listBatches()).jobs[0]?.job_id, job_id)
    await trawl.retryFailedOfBatch(job_id)
    expectEqual((await trawl.waitForBatch(job_id)).failed_urls, 1)
    const held = await trawl.startBatch({ urls: [site('held')] })
    expectEqual((await trawl.cancelBatch(held.job_id)).status, 'cancelled')
  },

  async 'a crawl'({ trawl, site }) {
    const { job_id } = await trawl.startCrawl({ url: site('index'), depth: 2, ...once })
    expectEqual((await trawl.waitForCrawl(job_id, { interval: 50 })).completed_pages, 3)
    expectEqual((await take(trawl.crawlResults(job_id))).length, 3)
    expectEqual((await trawl.getCrawl(job_id)).results[0]?.depth, 1)
    expectEqual((await trawl.listCrawls({ url: '/site/' })).jobs[0]?.job_id, job_id)
    const held = await trawl.startCrawl({ url: site('held') })
    expectEqual((await trawl.cancelCrawl(held.job_id)).status, 'cancelled')
  },

  async 'the map of a site'({ trawl, site }) {
    const { links } = await trawl.map({ url: site('index') })
    expect(Array.isArray(links), 'links')
    const [job] = (await trawl.listMaps()).jobs
    expectEqual((await trawl.getMap(job?.job_id ?? '')).url, site('index'))
  },

  async 'jobs of every kind'({ trawl, sdk, site }) {
    const { job_id } = await trawl.startBatch({ urls: [site('a')], ...once })
    const ended = await trawl.waitForJob(job_id, { interval: 50 })
    expectEqual([ended.kind, ended.counts.completed], ['batch', 1])
    expectEqual((await trawl.getJob(job_id)).status_url, `/v1/batch/${job_id}`)
    const [newest] = await take(trawl.listJobs({ page_size: 1 }), 1)
    expectEqual(newest, ended)
    const page = await trawl.scrape({ url: site('a') })
    await rejection(sdk.NotFoundError, trawl.getJob(page.job_id))
  },

  async 'searches, which have no search engine'({ trawl, sdk }) {
    const error = await rejection(sdk.ServerError, trawl.search({ query: 'fish' }))
    expectEqual([error.code, error.retryable], ['SEARCH_UNAVAILABLE', false])
    expectEqual(await take(trawl.listSearches()), [])
    await rejection(sdk.NotFoundError, trawl.getSearch('01a1def5-68ae-7e29-9849-4f82ca93e413'))
  },

  async 'statistics and usage'({ trawl }) {
    expect((await trawl.getStatistics()).requests.length > 0, 'days')
    expect((await trawl.getConcurrency()).work_concurrency_limit > 0, 'a limit')
    expectEqual((await trawl.getSeries()).points.length, 60)
    expect((await trawl.listDomains()).page === 1, 'a page of hosts')
  },

  async 'the whole service, which only its first account may see'({ trawl, sdk }) {
    const { is_operator } = await trawl.session.get()
    if (is_operator) {
      expectEqual((await trawl.getSystem()).processes.length, 1)
      expectEqual((await trawl.listProxies()).items, [])
      return
    }
    const refusals = [
      await rejection(sdk.AuthError, trawl.getSystem()),
      await rejection(sdk.AuthError, trawl.listProxies()),
    ]
    expectEqual(
      refusals.map(({ status, code }) => [status, code]),
      [
        [403, 'FORBIDDEN'],
        [403, 'FORBIDDEN'],
      ],
    )
  },

  async 'a callback scrape'({ trawl: { scraper }, sdk, origin, site }) {
    const callbackUrl = `${origin}/receiver`
    const { requestId } = await scraper.submit({ url: site('a'), callbackUrl })
    expectEqual((await scraper.waitFor(requestId)).status, 'completed')
    expect((await (await scraper.getResult(requestId)).text()).includes('<p>'), 'the page')
    expectEqual((await scraper.get(requestId)).callbackUrl, callbackUrl)
    await rejection(sdk.NotFoundError, scraper.getScreenshot(requestId))
    expectEqual((await scraper.redeliver(requestId)).requestId, requestId)
    const [newest] = await take(scraper.list({ page_size: 1 }), 1)
    expectEqual(newest?.requestId, requestId)
    const held = await scraper.submit({ url: site('held'), callbackUrl })
    await scraper.cancel(held.requestId)
    expectEqual((await scraper.waitFor(held.requestId)).status, 'cancelled')
  },

  async 'a realtime scrape'({ trawl: { scraper }, site }) {
    const response = await scraper.realtime({ url: site('a') })
    expectEqual(response.headers.get('x-target-status'), '200')
    expect((await response.text()).includes('<p>'), 'the page')
  },

  async webhooks({ trawl: { webhooks }, sdk, origin }) {
    const url = `${origin}/receiver`
    const { id, secret } = await webhooks.create({ url, event_type: 'batch_completed' })
    expect(secret.startsWith('whsec_'), 'a secret')
    expectEqual((await webhooks.test(id)).delivered, true)
    expectEqual((await webhooks.update(id, { description: 'Cod' })).description, 'Cod')
    expectEqual((await webhooks.get(id)).description, 'Cod')
    expect((await webhooks.rotateSecret(id)).secret !== secret, 'another secret')
    expectEqual(
      (await take(webhooks.list())).map((one) => one.id),
      [id],
    )
    expectEqual(await take(webhooks.listDeliveries(id)), [])
    await rejection(sdk.NotFoundError, webhooks.getDelivery(id, id))
    await rejection(sdk.NotFoundError, webhooks.redeliver(id, id))
    const since = new Date(Date.now() - 60_000).toISOString()
    expectEqual((await webhooks.recover(id, { since })).recovered, 0)
    expectEqual(await webhooks.delete(id), undefined)
  },

  async 'whitelisted addresses'({ trawl: { whitelistedIps } }) {
    const ip = '192.0.2.7'
    expectEqual((await whitelistedIps.add([{ ip, description: 'a' }])).data.length, 1)
    expectEqual((await whitelistedIps.update({ ip, description: 'b' })).data.length, 1)
    expectEqual((await whitelistedIps.list()).data[0]?.description, 'b')
    expectEqual((await whitelistedIps.remove([{ ip }])).data, [])
  },

  async 'tasks, whatever started them'({ trawl, sdk, site }) {
    const { job_id } = await trawl.scrape({ url: site('b') })
    const [found] = await take(trawl.tasks.list({ url: '/site/b', page_size: 1 }), 1)
    expectEqual(found?.id, job_id)
    expectEqual((await trawl.tasks.get(job_id)).status, 'completed')
    expectEqual((await trawl.tasks.getResponse(job_id)).http_status, 200)
    const shown = await trawl.tasks.preview(job_id, { format: 'markdown' })
    expect((await shown.text()).includes('<p>'), 'a page with markdown')
    const again = await trawl.tasks.retry(job_id)
    expectEqual(again.retry_of, job_id)
    expectEqual((await trawl.waitForScrape(again.id)).metadata.http_status, 200)
    await rejection(sdk.ConflictError, trawl.tasks.cancel(again.id))
  },

  async session({ trawl: { session }, sdk, origin, username, password }) {
    const visitor = new sdk.Trawl({ baseUrl: origin })
    expectEqual(await visitor.session.begin({ username, password }), undefined)
    expectEqual((await session.get()).username, username)
    expectEqual(await visitor.session.end(), undefined)
  },
  async 'API keys'({ trawl: { keys }, sdk, origin }) {
    const { id, key } = await keys.create({ name: 'trial' })
    const other = new sdk.Trawl({ baseUrl: origin, apiKey: key })
    expect(await other.getConcurrency(), 'an answer with the new key')
    expect(
      (await keys.list()).keys.some((one) => one.id === id),
      'the key in the list',
    )
    expectEqual(await keys.revoke(id), undefined)
    await rejection(sdk.AuthError, other.getConcurrency())
  },

  async 'events, until the signal aborts'({ trawl, site }) {
    const stop = new AbortController()
    const events = trawl.events({ topics: ['tasks'], signal: stop.signal })
    const first = events.next()
    let isSeen = false
    void first.finally(() => (isSeen = true)).catch(() => undefined)
    // The connection may come after a scrape, so there is another until one is seen.
    while (!isSeen) await trawl.scrape({ url: site('a') })
    const { value } = await first
    expect(value && ['task', 'tasks'].includes(value.type) && value.id, 'an event with its id')
    const next = events.next()
    stop.abort()
    expectEqual((await rejection(DOMException, next)).name, 'AbortError')
  },
}

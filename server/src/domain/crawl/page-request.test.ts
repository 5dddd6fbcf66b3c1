import assert from 'node:assert/strict'
import test from 'node:test'
import { ScrapeOptions } from '../scrape/scrape-options.ts'
import { plainOrder } from '../scrape/scrape-request.ts'
import { pageRequest, type SeedRequest } from './page-request.ts'

const seedAt = (url: string): SeedRequest => ({
  url,
  options: ScrapeOptions.parse({
    js_render: true,
    device_type: 'mobile',
    cookies: [{ name: 'who', value: 'secret' }],
    localStorage: { token: 'secret' },
    js_scenario: { actions: [{ action: 'fill', selector: '#password', value: 'secret' }] },
  }),
  timeoutMs: 30_000,
  forwardedHeaders: { 'x-forwarded': 'secret' },
  target: { method: 'GET', headers: { authorization: 'secret' }, body: undefined },
  extract: plainOrder,
})

const place = { depth: 2, parentUrl: null }

const sameSite: [seed: string, url: string][] = [
  ['https://shop.test/a', 'https://shop.test/b?c'],
  ['http://shop.test/', 'https://shop.test/'],
  ['http://shop.test/', 'https://www.shop.test/'],
  ['http://shop.test:8080/', 'https://shop.test:8080/'],
]
for (const [seed, url] of sameSite) {
  test(`a crawl of ${seed} asks for ${url} as it asks for the seed`, () => {
    const { extract, ...fetched } = seedAt(seed)
    const purpose = { kind: 'crawl', extract, crawl: place }

    assert.deepEqual(pageRequest(seedAt(seed), url, place), { ...fetched, url, purpose })
  })
}

const others: [seed: string, url: string][] = [
  ['https://shop.test/', 'http://shop.test/'],
  ['https://shop.test/', 'https://shop.test:8443/'],
  ['http://shop.test:8080/', 'https://shop.test:8443/'],
  ['https://shop.test/', 'https://docs.shop.test/'],
  ['http://shop.test/', 'https://docs.shop.test/'],
  ['https://shop.test/', 'https://shop.test.evil.test/'],
  ['https://user.test/', 'https://evil.test/#https://user.test/'],
]
for (const [seed, url] of others) {
  test(`a crawl of ${seed} tells ${url} no secret and keeps its other options`, () => {
    const request = pageRequest(seedAt(seed), url, place)

    assert.doesNotMatch(JSON.stringify(request), /secret/)
    assert.deepEqual([request.url, request.timeoutMs], [url, 30_000])
    assert.deepEqual([request.options.js_render, request.options.device_type], [true, 'mobile'])
  })
}

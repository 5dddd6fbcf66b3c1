import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultScrapeOptions } from '../../domain/scrape/scrape-options.ts'
import {
  type EngineRequest,
  plainOrder,
  type TaskPurpose,
} from '../../domain/scrape/scrape-request.ts'
import { readRequest, writeRequest } from './stored-tasks.ts'

const page: EngineRequest = {
  url: 'https://shop.test/',
  options: defaultScrapeOptions,
  timeoutMs: 60_000,
  forwardedHeaders: {},
}
const map = { url: page.url, search: null, includesSubdomains: false, ignoresQueries: true }

const purposes: TaskPurpose[] = [
  { kind: 'callback' },
  { kind: 'realtime' },
  { kind: 'extract', extract: plainOrder },
  { kind: 'crawl', extract: plainOrder, crawl: { depth: 2, parentUrl: null } },
  { kind: 'map', map },
]
for (const purpose of purposes) {
  test(`a stored request has the purpose that it was written with: ${purpose.kind}`, () => {
    const kind = purpose.kind === 'callback' ? 'callback' : 'realtime'

    assert.deepEqual(readRequest(writeRequest({ ...page, purpose }), kind), { ...page, purpose })
  })
}

test('a map that an earlier version stored with an extraction is read as a map', () => {
  const stored = JSON.stringify({ ...page, map, extract: plainOrder })

  assert.deepEqual(readRequest(stored, 'realtime').purpose, { kind: 'map', map })
})

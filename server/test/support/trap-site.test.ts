import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type JobRecords, judgeJob } from './job-ledger.ts'
import { startTrapSite, type TrapSite } from './trap-site.ts'
import { until } from './until.ts'

test('a plain crawler finds exactly the expected pages of the trap site', async (t) => {
  const site = await startTrapSite(t, { slowMs: 20 })

  const expected = site.expectedPages({ depth: 8 })
  const found = await crawl(site, { depth: 8 })

  assert.deepEqual(withoutParents(found), reported(expected.pages))
  assert.ok(site.world.goodUrls.every((url) => found[url]?.outcome === 'completed 200'))
  assert.equal(site.world.goodUrls.length, 1_000)
})

test('the ledger finds no problem in a plain crawl, and finds one in a page that is missing', async (t) => {
  const site = await startTrapSite(t, { goodPageCount: 30, slowMs: 20 })

  const found = await crawl(site, { depth: 6 })
  const records = recordsOf(site, found, { depth: 6 })
  const [lost] = records.body.results.splice(1, 1)

  assert.deepEqual(judgeJob(recordsOf(site, found, { depth: 6 })), [])
  assert.ok(judgeJob(records).includes(`${lost?.url} is missing.`))
  assert.ok(site.log.requests.every(({ url }) => !url.includes('/never')))
})

/** The reference crawl, told as the service tells of a job. */
function recordsOf(site: TrapSite, found: Crawled, rules: CrawlOptions): JobRecords {
  const results = Object.entries(found).map(([url, { depth, outcome, parent }]) => {
    const [status = '', detail = ''] = outcome.split(' ')
    const error = status === 'failed' ? detail : null
    const metadata = error === null ? { http_status: Number(detail) } : null
    const errors = { error_code: error, error_reason: error }
    return { url, depth, status, ...errors, parent_url: parent, metadata }
  })
  const count = (state: string) => results.filter(({ status }) => status === state).length
  return {
    body: {
      job_id: 'job-1',
      status: 'completed',
      completed_at: new Date().toISOString(),
      total_pages: results.length,
      completed_pages: count('completed'),
      failed_pages: count('failed'),
      results,
    },
    expected: site.expectedPages(rules),
    deliveries: [],
    receivers: [],
    requests: site.log.requests.filter(({ kind }) => kind === 'page' || kind === 'redirect'),
  }
}

const variants: Record<string, CrawlOptions> = {
  'without regard to robots.txt': { depth: 6, respectRobots: false },
  'with sitemaps': { depth: 4, useSitemaps: true },
  'of the seed page alone': { depth: 1 },
  'of paths that a pattern admits': { depth: 6, admitsPath: (path) => !path.startsWith('/s1/') },
}

for (const [name, options] of Object.entries(variants)) {
  test(`the expected pages are right for a crawl ${name}`, async (t) => {
    const site = await startTrapSite(t, { seed: 2, goodPageCount: 100, slowMs: 20 })

    const found = await crawl(site, options)

    assert.deepEqual(withoutParents(found), reported(site.expectedPages(options).pages))
  })
}

test('a site with a name spells its host in capitals too', async (t) => {
  const site = await startTrapSite(t, { host: 'localhost', goodPageCount: 20, slowMs: 20 })

  const found = await crawl(site, { depth: 5 })

  const page = await (await fetch(`${site.seedUrl}spelling/`)).text()
  assert.match(page, /HTTP:\/\/LOCALHOST:/)
  assert.deepEqual(withoutParents(found), reported(site.expectedPages({ depth: 5 }).pages))
})

test('the same seed number gives the same site, another one a different site', async (t) => {
  const graph = async (seed: number) => {
    const { world, seedUrl } = await startTrapSite(t, { seed, goodPageCount: 50 })
    const links = world.goodUrls.map((url) => world.findPage(url)?.links.map(({ to }) => to))
    return JSON.stringify(links).replaceAll(seedUrl, '/')
  }

  const [one, again, other] = await Promise.all([graph(5), graph(5), graph(6)])

  assert.equal(one, again)
  assert.notEqual(one, other)
})

test('a limit leaves whole levels certain and the last one open', async (t) => {
  const site = await startTrapSite(t, { goodPageCount: 100 })

  const whole = site.expectedPages({ depth: 3 })
  const cut = site.expectedPages({ depth: 3, limit: whole.total - 1 })

  assert.equal(whole.completeDepth, 3)
  assert.deepEqual(cut, { pages: whole.pages, total: whole.total - 1, completeDepth: 2 })
  assert.deepEqual(site.expectedPages({ depth: 3, limit: whole.total }), whole)
})

test('the log knows who asked, how many were under way at once and the pauses', async (t) => {
  const site = await startTrapSite(t, { goodPageCount: 10, slowMs: 600_000, crawlDelaySeconds: 7 })
  const { host } = new URL(site.seedUrl)
  const leaving = new AbortController()
  const get = (path: string) =>
    fetch(site.seedUrl + path, { headers: { 'user-agent': 'trawl/1' }, signal: leaving.signal })
  const { requests } = site.log

  const held = [get('slow/1'), get('slow/2'), get('slow/3')]
  await until(() => requests.length === held.length)
  leaving.abort()
  await Promise.allSettled(held)
  await until(() => requests.every(({ endedAtMs }) => endedAtMs !== undefined))
  const robots = await (await fetch(`${site.seedUrl}robots.txt`)).text()
  await (await fetch(site.seedUrl)).text()

  assert.match(robots, /^Crawl-delay: 7$/m)
  assert.equal(site.log.underwayMax(host), 3)
  assert.equal(site.log.pausesMs(host, 'start').length, 3)
  assert.ok((site.log.pausesMs(host, 'end').at(-1) ?? -1) >= 0)
  assert.deepEqual(
    requests.map(({ kind }) => kind),
    ['page', 'page', 'page', 'robots', 'page'],
  )
  assert.equal(requests[0]?.userAgent, 'trawl/1')
})

interface CrawlOptions {
  depth: number
  respectRobots?: boolean
  useSitemaps?: boolean
  admitsPath?: (path: string) => boolean
}

/** Outcomes such as `completed 200`, by canonical URL. */
type Crawled = Record<string, { depth: number; outcome: string; parent: string | null }>

const withoutParents = (crawled: Crawled) =>
  Object.fromEntries(
    Object.entries(crawled).map(([url, { outcome, depth }]) => [url, `${outcome} at ${depth}`]),
  )

const reported = (pages: ReturnType<TrapSite['expectedPages']>['pages']) =>
  Object.fromEntries(
    pages.map(({ url, depth, status, httpStatus, reason }) => [
      url,
      `${status} ${httpStatus ?? reason} at ${depth}`,
    ]),
  )

/** A crawler of few lines that shares nothing with the generator: it reads what is served. */
async function crawl(site: TrapSite, options: CrawlOptions): Promise<Crawled> {
  const { respectRobots = true, useSitemaps = false, admitsPath = () => true } = options
  const seed = canonical(site.seedUrl)
  const rules = await readRobots(new URL('/robots.txt', seed).href)
  const isInScope = (url: string) => new URL(url).host === new URL(seed).host
  const isAdmitted = (url: string) =>
    isInScope(url) && (!respectRobots || isAllowed(rules, url)) && admitsPath(new URL(url).pathname)
  const seen = new Set([seed])
  const found: Crawled = {}
  const parents = new Map<string, string>()
  for (let level = [seed], depth = 1; depth <= options.depth; depth += 1) {
    const next = new Set<string>()
    const fetched = await inGroups(level, async (url) => ({ url, ...(await fetchPage(url)) }))
    for (const { url, end, outcome, links } of fetched) {
      const isOutside = outcome.startsWith('completed') && !isInScope(end)
      const parent = parents.get(url) ?? null
      found[url] = { depth, outcome: isOutside ? 'failed OUT_OF_SCOPE' : outcome, parent }
      if (isOutside || (end !== url && seen.has(end))) continue
      seen.add(end)
      const listed = depth === 1 && useSitemaps ? await readSitemaps(seed) : []
      for (const link of [...links, ...listed].filter((one) => !next.has(one))) {
        next.add(link)
        if (!seen.has(link)) parents.set(link, url)
      }
    }
    level = [...next].filter((url) => !seen.has(url) && isAdmitted(url))
    for (const url of level) seen.add(url)
  }
  return found
}

async function inGroups<Item, Value>(items: Item[], act: (item: Item) => Promise<Value>) {
  const values: Value[] = []
  for (let from = 0; from < items.length; from += 16) {
    values.push(...(await Promise.all(items.slice(from, from + 16).map(act))))
  }
  return values
}

async function fetchPage(url: string): Promise<{ end: string; outcome: string; links: string[] }> {
  let end = url
  let cookie = ''
  for (let redirects = 0; redirects <= 10; redirects += 1) {
    const { hostname } = new URL(end)
    if (hostname.startsWith('10.')) return { end, outcome: 'failed URL_NOT_ALLOWED', links: [] }
    const response = await fetch(end, { redirect: 'manual', headers: { cookie } }).catch(
      () => undefined,
    )
    if (!response) return { end, outcome: 'failed TARGET_TLS_FAILED', links: [] }
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null) {
      return { end, outcome: `completed ${response.status}`, links: linksOf(response, text, end) }
    }
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    end = canonical(new URL(location, end).href)
  }
  return { end, outcome: 'failed TOO_MANY_REDIRECTS', links: [] }
}

function linksOf({ headers }: Response, text: string, url: string): string[] {
  if (!headers.get('content-type')?.startsWith('text/html')) return []
  if (/^nofollow/.test(headers.get('x-robots-tag') ?? '')) return []
  const rawText = /<!--.*?-->|<(script|style|template|textarea|iframe|title)\b.*?<\/\1>/gis
  const pattern = /<(a|area|base|meta)\b((?:[^>"']|"[^"]*"|'[^']*')*)>/gi
  const withoutImages = text
    .replace(rawText, '')
    .replace(/<img\b(?:[^>"']|"[^"]*"|'[^']*')*>/gi, '')
  const tags = [...withoutImages.matchAll(pattern)].map(([, name = '', attributes = '']) => ({
    name: name.toLowerCase(),
    ...attributesOf(attributes),
  }))
  const metas = tags.filter(({ name, called = '' }) => name === 'meta' && /^robots$/i.test(called))
  if (metas.some(({ content = '' }) => /nofollow|none/i.test(content))) return []
  const base = tags.find(({ name, href }) => name === 'base' && href !== undefined)?.href
  return tags.flatMap(({ name, href, rel = '' }) => {
    if (!/^a/.test(name) || href === undefined || /\bnofollow\b/i.test(rel)) return []
    const link = URL.parse(href, new URL(base ?? '', url).href)
    return link && /^https?:/.test(link.protocol) ? [canonical(link.href)] : []
  })
}

function attributesOf(
  text: string,
): Record<'href' | 'rel' | 'content' | 'called', string | undefined> {
  const pattern = /([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g
  const values = [...text.matchAll(pattern)].map(([, name = '', ...value]) => [
    name.toLowerCase(),
    value
      .find((one) => one !== undefined)
      ?.replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&'),
  ])
  const { href, rel, content, name: called } = Object.fromEntries(values)
  return { href, rel, content, called }
}

function canonical(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : code
  })
}

interface RobotsRule {
  isAllowed: boolean
  length: number
  pattern: RegExp
}

async function readRobots(url: string): Promise<RobotsRule[]> {
  const text = (await (await fetch(url)).text()).replace(/#.*/g, '')
  const group = text.split(/user-agent:\s*trawl/i)[1] ?? ''
  return [...group.matchAll(/^(allow|disallow):\s*(\S+)/gim)].map(([, kind = '', path = '']) => {
    const plain = path.replaceAll('%7E', '~')
    const source = plain.replace(/[.+?^{}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
    return {
      isAllowed: kind.toLowerCase() === 'allow',
      length: plain.length,
      pattern: new RegExp(`^${source}`),
    }
  })
}

function isAllowed(rules: RobotsRule[], url: string): boolean {
  const { pathname, search } = new URL(url)
  const matching = rules.filter(({ pattern }) => pattern.test(pathname + search))
  const longest = Math.max(...matching.map(({ length }) => length))
  const decisive = matching.filter(({ length }) => length === longest)
  return decisive.length === 0 || decisive.some((rule) => rule.isAllowed)
}

async function readSitemaps(seed: string): Promise<string[]> {
  const robots = await (await fetch(new URL('/robots.txt', seed))).text()
  const [, named = ''] = /^Sitemap: (\S+)/m.exec(robots) ?? []
  const waiting = new Set([named, new URL('/sitemap.xml', seed).href])
  const urls: string[] = []
  // A set that grows while it is walked: what is already in it is not read again.
  for (const sitemap of waiting) {
    const bytes = Buffer.from(await (await fetch(sitemap)).arrayBuffer())
    const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8')
    const places = [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, place = '']) =>
      canonical(place.replaceAll('&amp;', '&')),
    )
    if (text.includes('<sitemapindex')) for (const place of places) waiting.add(place)
    else urls.push(...places)
  }
  return urls
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type ExpectedCrawl, expectPages, type TrapCrawlRules } from './expected-pages.ts'
import { OriginLog } from './origin-log.ts'
import { otherPage, redirectedCookie, type TrapPage } from './trap-page.ts'
import {
  generateTrapSitePages,
  type TrapSitePages,
  type TrapSitePagesOptions,
} from './trap-site-pages.ts'

/** A site of many ordinary pages and of every trap that crawlers fall into; `trapKinds` lists them. */
export interface TrapSite {
  /** Where a crawl starts. */
  readonly seedUrl: string
  readonly world: TrapSitePages
  /** What was requested of the site and of its neighbour on another port. */
  readonly log: OriginLog
  /** What a crawl from the seed must fetch, from the graph that the pages were written from. */
  expectedPages(rules: TrapCrawlRules): ExpectedCrawl
}

export interface TrapSiteOptions extends Partial<TrapSitePagesOptions> {
  /** A name of 127.0.0.1 for the crawler to use. */
  host?: string
  /** How long every page takes. */
  latencyMs?: number
  /** How long the slow pages take. */
  slowMs?: number
}

export async function startTrapSite(
  t: Pick<TestContext, 'after'>,
  { host = '127.0.0.1', latencyMs = 0, slowMs = 200, ...options }: TrapSiteOptions = {},
): Promise<TrapSite> {
  const log = new OriginLog()
  const serve = (origin: () => string) => (request: IncomingMessage, response: ServerResponse) => {
    const url = unescapeTildes(origin() + (request.url ?? '/'))
    const page = findContent(world, url)
    log.add(request, response, { url, kind: kindOf(world, url, page) })
    const delayMs = page.isSlow ? slowMs : latencyMs
    if (delayMs === 0) send(request, response, page)
    else {
      const timer = setTimeout(() => send(request, response, page), delayMs)
      response.on('close', () => clearTimeout(timer))
    }
  }
  const main = await listen(t, createServer(serve(() => world.origins.main)))
  const other = await listen(t, createServer(serve(() => world.origins.other)))
  const origins = { main: `http://${host}:${main}`, other: `http://${host}:${other}` }
  const world = generateTrapSitePages(origins, { seed: 1, goodPageCount: 1_000, ...options })
  return {
    seedUrl: world.seedUrl,
    world,
    log,
    expectedPages: (rules) => expectPages(world, rules),
  }
}

/** For a server, `%7E` and `~` are the same, whatever a crawler makes of them. */
const unescapeTildes = (url: string): string => url.replace(/%7e/gi, '~')

const findContent = (world: TrapSitePages, url: string): TrapPage =>
  world.findPage(url) ?? world.files[url] ?? notFound

const notFound: TrapPage = { ...otherPage('text/html', '<p>Nothing is here.</p>'), status: 404 }

const kindOf = (world: TrapSitePages, url: string, page: TrapPage) => {
  if (page.redirectsTo !== undefined) return 'redirect'
  if (url.endsWith('/robots.txt')) return 'robots'
  return world.files[url] ? 'sitemap' : 'page'
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, redirectedBody }: TrapPage,
): void {
  const isRedirected = request.headers.cookie?.includes(redirectedCookie)
  response.writeHead(status, headers).end((isRedirected && redirectedBody) || body)
}

async function listen(t: Pick<TestContext, 'after'>, server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    return closed
  })
  return (server.address() as AddressInfo).port
}

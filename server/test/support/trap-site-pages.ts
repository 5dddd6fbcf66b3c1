import { gzipSync } from 'node:zlib'
import { seededChance } from '../faults/ledger/seeded-chance.ts'
import { type TrapOrigins, trapKinds } from './trap-kinds.ts'
import {
  type HtmlPiece,
  htmlPage,
  link,
  otherPage,
  type TrapPage,
  type TrapPages,
} from './trap-page.ts'

/** All pages of the trap site as a graph in memory, some of which have no end. */
export interface TrapSitePages {
  readonly origins: TrapOrigins
  /** The page where a crawl starts. */
  readonly seedUrl: string
  /** The ordinary pages, all of which links lead to. */
  readonly goodUrls: readonly string[]
  /** What the sitemaps list, in their order, strangers and disallowed pages too. */
  readonly sitemapUrls: readonly string[]
  /** robots.txt and the sitemaps, which are no pages. */
  readonly files: TrapPages
  findPage(url: string): TrapPage | undefined
}

export interface TrapSitePagesOptions {
  /** The same number gives the same site. */
  seed: number
  goodPageCount: number
  /** The crawl-delay of robots.txt. */
  crawlDelaySeconds?: number
}

export function generateTrapSitePages(
  origins: TrapOrigins,
  options: TrapSitePagesOptions,
): TrapSitePages {
  const { main } = origins
  const chance = seededChance(options.seed)
  const goodPages = generateGoodPages(main, options.goodPageCount, chance)
  const goodUrls = Object.keys(goodPages)
  const traps = Object.values(trapKinds).map((trap) => trap(origins))
  const entries = [...traps.map((pages) => Object.keys(pages)[0] ?? ''), ...endlessEntries(main)]
  const orphans = Array.from({ length: 20 }, (_, index) => `${main}/orphans/${index}`)
  const pages: TrapPages = {
    ...goodPages,
    ...Object.assign({}, ...traps),
    ...Object.fromEntries(orphans.map((url) => [url, htmlPage([link(`${main}/`)])])),
    [`${main}/`]: htmlPage([
      ...goodUrls.slice(0, rootCount).map((url) => link(url)),
      link(`${main}/traps`),
      link(`${main}/~known`, '/%7Eknown'),
    ]),
    [`${main}/traps`]: htmlPage(entries.map((url) => link(url))),
    // A redirect ends here. Its links count when the page itself is crawled, and not again then.
    [`${main}/~known`]: htmlPage([link(`${main}/`)], {
      redirectedBody: '<a href="/never/by-redirect">You were redirected</a>',
    }),
  }
  const byUrl = new Map(Object.entries(pages))
  const sitemaps = trapSitemaps(origins, orphans, goodUrls)
  return {
    origins,
    seedUrl: `${main}/`,
    goodUrls,
    sitemapUrls: sitemaps.urls,
    files: {
      [`${main}/robots.txt`]: otherPage('text/plain', trapRobotsTxt(main, options)),
      [`${origins.other}/robots.txt`]: otherPage('text/plain', 'User-agent: *\nDisallow:\n'),
      ...sitemaps.files,
    },
    findPage: (url) => byUrl.get(url) ?? findEndlessPage(main, url),
  }
}

const rootCount = 7
const childCount = 6
const sectionCount = 10

/** A tree, so that links lead to every page, with links across, back and to itself. */
function generateGoodPages(main: string, count: number, chance: () => number): TrapPages {
  const paths = Array.from({ length: count }, (_, index) => goodPath(index, chance))
  const pages = paths.map((from, index): [string, TrapPage] => {
    const firstChild = rootCount + index * childCount
    const children = paths.slice(firstChild, firstChild + childCount)
    const others = Array.from(
      { length: 3 },
      () => paths[Math.floor(chance() * (index + 1))] ?? from,
    )
    const pieces = shuffle([...children, ...others], chance).map((to) =>
      spellLink(main, to, chance),
    )
    return [main + from, htmlPage(pieces, { title: `Page ${index}` })]
  })
  return Object.fromEntries(pages)
}

const goodPath = (index: number, chance: () => number): string => {
  const section = `/s${Math.floor(chance() * sectionCount)}`
  const names = [`p${index}.html`, `~p${index}`, `p?id=${index}&lang=en`, `p${index}/`]
  return `${section}/${names[chance() < 0.7 ? 0 : Math.floor(chance() * names.length)]}`
}

/** The ways to write the same link; all pages lie one folder deep. */
const spellings: ((main: string, path: string) => string)[] = [
  (main, path) => main + path,
  (_main, path) => path,
  (_main, path) => path,
  (main, path) => main.slice(main.indexOf(':') + 1) + path,
  (_main, path) => `${path}#part-2`,
  (_main, path) => `/x/..${path}`,
  (_main, path) => path.replace('~', '%7E'),
  (_main, path) => path.replace('/p', '/%70'),
  (main, path) => main.replace('http', 'HTTP') + path,
]

function spellLink(main: string, path: string, chance: () => number): HtmlPiece {
  const spell = spellings[Math.floor(chance() * spellings.length)]
  return link(main + path, spell?.(main, path))
}

function shuffle<Item>(items: Item[], chance: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: chance() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

const endlessEntries = (main: string): string[] => [
  `${main}/calendar/0`,
  `${main}/endless/`,
  `${main}/shop?sid=1`,
]

/** Calendars, folders in folders and session ids: each page links to one that nobody has seen. */
function findEndlessPage(main: string, url: string): TrapPage | undefined {
  const path = url.startsWith(`${main}/`) ? url.slice(main.length) : ''
  const [, month] = /^\/calendar\/(\d{1,9})$/.exec(path) ?? []
  if (month !== undefined) {
    const [next, before] = [Number(month) + 1, Math.max(Number(month) - 1, 0)]
    return htmlPage([
      link(`${main}/calendar/${next}`, String(next)),
      link(`${main}/calendar/${before}`, `./${before}`),
    ])
  }
  if (/^\/endless\/(?:more\/)*$/.test(path)) return htmlPage([link(`${url}more/`, 'more/')])
  const [, session] = /^\/shop\?sid=(\d{1,10})$/.exec(path) ?? []
  if (session === undefined) return undefined
  const next = Math.floor(seededChance(Number(session))() * 1e9)
  return htmlPage([link(`${main}/shop?sid=${next}`, `?sid=${next}`)])
}

/** Its own group counts and not that of all others; the longest rule wins, of two alike `Allow`. */
const trapRobotsTxt = (main: string, { crawlDelaySeconds }: TrapSitePagesOptions): string =>
  `# The group of strangers comes first and would shut out everything.
User-agent: *
Disallow: /

User-Agent: TRAWL
Disallow: /private/
Allow: /private/open/
Disallow: /private/open/shut
disallow: /robots/exact$
Disallow: /robots/*/secret # a comment
Disallow: /robots/%7Euser
Disallow: /robots/tie
Allow: /robots/tie
Disallow: /*?print=
${crawlDelaySeconds === undefined ? '' : `Crawl-delay: ${crawlDelaySeconds}\n`}
Sitemap: ${main}/sitemaps/named.xml
`

/** One that robots.txt names, and an index that also lists itself and a compressed one. */
function trapSitemaps(
  { main, other }: TrapOrigins,
  orphans: readonly string[],
  goodUrls: readonly string[],
): { urls: string[]; files: TrapPages } {
  const named = [...orphans.slice(0, 5), `${main}/`, `${other}/`]
  const plain = [...orphans.slice(5, 12), ...goodUrls.slice(-10), `${main}/private/shut`]
  const compressed = [...orphans.slice(10), ...goodUrls.slice(-3)]
  const index = ['/sitemaps/plain.xml', '/sitemaps/packed.xml.gz', '/sitemap.xml']
  return {
    urls: [...new Set([...named, ...plain, ...compressed])],
    files: {
      [`${main}/sitemaps/named.xml`]: otherPage('application/xml', sitemapOf('urlset', named)),
      [`${main}/sitemap.xml`]: otherPage(
        'application/xml',
        sitemapOf(
          'sitemapindex',
          index.map((path) => main + path),
        ),
      ),
      [`${main}/sitemaps/plain.xml`]: otherPage('text/xml', sitemapOf('urlset', plain)),
      [`${main}/sitemaps/packed.xml.gz`]: otherPage(
        'application/gzip',
        gzipSync(sitemapOf('urlset', compressed)),
      ),
    },
  }
}

function sitemapOf(kind: 'urlset' | 'sitemapindex', urls: readonly string[]): string {
  const item = kind === 'urlset' ? 'url' : 'sitemap'
  const items = urls.map((url) => `<${item}><loc>${url.replaceAll('&', '&amp;')}</loc></${item}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${items.join('\n')}\n</${kind}>\n`
}

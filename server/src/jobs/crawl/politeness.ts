import { robotsBytesMax } from '../../domain/crawl/parse-robots.ts'
import {
  isAllowedByRobots,
  type RobotsBudget,
  type RobotsRules,
} from '../../domain/crawl/robots-rules.ts'
import { robotsVerdict } from '../../domain/crawl/robots-verdict.ts'
import { Failure } from '../../domain/failure.ts'
import { AccountCache } from '../../runtime/sharing/account-cache.ts'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import { runInTurns } from '../../runtime/sharing/turns.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import type { DocumentFetcher } from '../sitemaps/fetch-document.ts'
import { readUpTo } from '../sitemaps/fetched-bytes.ts'

/** Whether a crawl may fetch a URL; several calls may share a budget. */
export type UrlJudge = (url: string, budget?: RobotsBudget) => boolean

/** What the robots.txt of a site and the crawl itself ask for: which URLs, and the pauses between them. */
export interface Politeness {
  /** Judges whether the crawl may fetch URLs with the origin of the given one. */
  judgeOf(job: JobView, url: string): Promise<UrlJudge>
  pausesOf(job: JobView, url: string): Promise<Pauses>
}

/** The pauses after each page of a host; 0 for none. */
export interface Pauses {
  /** What the account asks for itself (`delay_ms`). */
  accountMs: number
  /** What the host asks of everybody (`Crawl-delay`). */
  hostMs: number
}

/** How many robots.txt of different sites a crawl asks for at once; its account has a limit too. */
const sitesAtOnceMax = 16

export async function atSeveralSites<Site>(
  sites: readonly Site[],
  ask: (site: Site) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < sites.length; from += sitesAtOnceMax) {
    await Promise.all(sites.slice(from, from + sitesAtOnceMax).map(ask))
  }
}

/** Politeness is by host and port, whatever the scheme. */
export const hostOf = (url: string): string => new URL(url).host

const keptMs = 24 * 3_600_000
// A server that fails or cannot be reached may recover soon.
const keptWhileFailingMs = 60_000
/** A usual robots.txt takes some kilobytes, the largest some megabytes. */
const keptBytesMax = 32 * 2 ** 20
const robotsFetchMs = 15_000
/** Links lead to any number of hosts, and their fetches take no slot of a lane. */
const fetchLimits = {
  atOnceMax: 64,
  accountMax: 16,
  spareMax: 16,
  // A crawl asks for a few at once, and an account has a limited number of crawls.
  waitingMax: Number.POSITIVE_INFINITY,
}

type FoundRules = RobotsRules | 'unknown'

interface KeptRules {
  rules: FoundRules
  untilMs: number
}

/** What V8 takes for a string or an object, a little more than measured. */
const objectBytes = 64

/** The memory that rules take: a character of a pattern is one byte, and twice where its head is kept too. */
function bytesOf(rules: FoundRules): number {
  if (rules === 'unknown') return 4 * objectBytes
  const patterns = rules.rules.map(({ pattern, head }) => pattern.length + head.length)
  const texts = [...patterns, ...rules.sitemaps.map((url) => 2 * url.length)]
  return texts.reduce((sum, bytes) => sum + bytes + 3 * objectBytes, 4 * objectBytes)
}

export function createPoliteness({ fetchDocument }: { fetchDocument: DocumentFetcher }): {
  /** For the end of a page: it holds a slot of its lane, and so does not wait for a turn too. */
  ofPages: Politeness
  /** For crawls that choose their next pages. */
  inTurns: Politeness
} {
  // By account: what one account's proxies were told is not shown to another.
  const kept = new AccountCache<KeptRules>({
    bytesMax: keptBytesMax,
    entryBytesMax: keptBytesMax / 4,
  })
  const turns = new Semaphore(fetchLimits)
  const waiting = new Map<string, Promise<FoundRules>>()
  const underWay = new Map<string, Promise<FoundRules>>()

  return { ofPages: politenessBy(fetchOnce), inTurns: politenessBy(fetchInTurn) }

  function politenessBy(fetch: typeof fetchOnce): Politeness {
    const rulesFor = async (job: JobView, url: string): Promise<FoundRules> => {
      if (!job.request.crawl?.respectsRobots) return noRules
      const robotsUrl = new URL('/robots.txt', url).href
      return keptRules(job.accountId, robotsUrl) ?? fetch(job, robotsUrl)
    }
    return {
      async judgeOf(job, url) {
        const rules = await rulesFor(job, url)
        if (rules !== 'unknown') return (asked, budget) => isAllowedByRobots(rules, asked, budget)
        // Where even robots.txt cannot be reached, the seed's host says why; other hosts stay alone.
        const isSeedHost = hostOf(url) === hostOf(job.request.crawl?.seed.url ?? url)
        return () => isSeedHost
      },
      async pausesOf(job, url) {
        const rules = await rulesFor(job, url)
        return {
          accountMs: job.request.crawl?.delayMs ?? 0,
          hostMs: rules === 'unknown' ? 0 : rules.crawlDelayMs,
        }
      },
    }
  }

  function keptRules(accountId: string, url: string): FoundRules | undefined {
    const found = kept.get(accountId, url)
    return found && found.untilMs > performance.now() ? found.rules : undefined
  }

  function fetchInTurn(job: JobView, url: string): Promise<FoundRules> {
    return shared(waiting, `${job.accountId} ${url}`, async () => {
      const fetch = async () => keptRules(job.accountId, url) ?? fetchOnce(job, url)
      const fetched = await turns.run(fetch, { accountId: job.accountId })
      return fetched?.result ?? 'unknown'
    })
  }

  function fetchOnce(job: JobView, url: string): Promise<FoundRules> {
    return shared(underWay, `${job.accountId} ${url}`, () => fetchRules(job, url))
  }

  async function fetchRules(
    { accountId, request: { crawl } }: JobView,
    url: string,
  ): Promise<FoundRules> {
    const like = crawl && { ...crawl.seed, accountId }
    const fetch = async () => {
      const signal = AbortSignal.timeout(robotsFetchMs)
      const order = { url, signal, bodyCutAt: robotsBytesMax + 1 }
      const fetched = like && (await fetchDocument(like, order))
      return fetched instanceof Failure ? undefined : fetched
    }
    // Once more, perhaps through another proxy: without its rules forbidden pages would be fetched.
    const fetched = (await fetch()) ?? (await fetch())
    const found = fetched
      ? {
          status: fetched.status,
          body: await readUpTo(untilBroken(fetched.chunks), robotsBytesMax),
        }
      : ({ status: 'unreachable' } as const)
    const verdict = await runInTurns(robotsVerdict(found), accountId)
    const isFailing = verdict === 'unknown' || (fetched && fetched.status >= 500)
    const untilMs = performance.now() + (isFailing ? keptWhileFailingMs : keptMs)
    kept.set(accountId, url, { value: { rules: verdict, untilMs }, bytes: bytesOf(verdict) })
    return verdict
  }
}

const noRules: RobotsRules = { rules: [], crawlDelayMs: 0, sitemaps: [] }

/** All who ask while it is under way get the same. */
function shared<Value>(
  underWay: Map<string, Promise<Value>>,
  key: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const working = underWay.get(key) ?? work().finally(() => underWay.delete(key))
  underWay.set(key, working)
  return working
}

/** Of a broken encoding, what can be decoded. */
async function* untilBroken(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    if (!(error instanceof Failure)) throw error
  }
}

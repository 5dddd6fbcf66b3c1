import { robotsBytesMax } from '../../domain/crawl/parse-robots.ts'
import {
  isAllowedByRobots,
  type RobotsBudget,
  type RobotsRules,
} from '../../domain/crawl/robots-rules.ts'
import { robotsVerdict } from '../../domain/crawl/robots-verdict.ts'
import { Failure } from '../../domain/failure.ts'
import { Semaphore } from '../../runtime/sharing/semaphore.ts'
import { TtlCache } from '../../runtime/sharing/ttl-cache.ts'
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

export async function atSeveralSites<Result>(
  urls: readonly string[],
  ask: (url: string) => Promise<Result>,
): Promise<Result[]> {
  const answers: Result[] = []
  for (let from = 0; from < urls.length; from += sitesAtOnceMax) {
    answers.push(...(await Promise.all(urls.slice(from, from + sitesAtOnceMax).map(ask))))
  }
  return answers
}

/** Politeness is by host and port, whatever the scheme. */
export const hostOf = (url: string): string => new URL(url).host

const robotsKept = { ttlMs: 24 * 3_600_000, entriesMax: 1_000 }
const unreachableKept = { ttlMs: 60_000, entriesMax: 1_000 }
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

export function createPoliteness({ fetchDocument }: { fetchDocument: DocumentFetcher }): {
  /** For the end of a page: it holds a slot of its lane, and so does not wait for a turn too. */
  ofPages: Politeness
  /** For crawls that choose their next pages. */
  inTurns: Politeness
} {
  // By account: what one account's proxies were told is not shown to another.
  const known = new TtlCache<RobotsRules>(robotsKept)
  // A server that fails forbids everything, but may recover soon.
  const failing = new TtlCache<RobotsRules>(unreachableKept)
  const unreachable = new TtlCache<true>(unreachableKept)
  const turns = new Semaphore(fetchLimits)
  const waiting = new Map<string, Promise<FoundRules>>()
  const underWay = new Map<string, Promise<FoundRules>>()

  return { ofPages: politenessBy(fetchOnce), inTurns: politenessBy(fetchInTurn) }

  function politenessBy(fetch: typeof fetchOnce): Politeness {
    const rulesFor = async (job: JobView, url: string): Promise<FoundRules> => {
      if (!job.request.crawl?.respectsRobots) return noRules
      const robotsUrl = new URL('/robots.txt', url).href
      const key = `${job.accountId} ${robotsUrl}`
      return keptRules(key) ?? fetch(job, key, robotsUrl)
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

  function keptRules(key: string): FoundRules | undefined {
    return known.get(key) ?? failing.get(key) ?? (unreachable.get(key) ? 'unknown' : undefined)
  }

  function fetchInTurn(job: JobView, key: string, url: string): Promise<FoundRules> {
    return shared(waiting, key, async () => {
      const fetch = async () => keptRules(key) ?? fetchOnce(job, key, url)
      const fetched = await turns.run(fetch, { accountId: job.accountId })
      return fetched?.result ?? 'unknown'
    })
  }

  function fetchOnce(job: JobView, key: string, url: string): Promise<FoundRules> {
    return shared(underWay, key, () => fetchRules(job, key, url))
  }

  async function fetchRules(
    { accountId, request: { crawl } }: JobView,
    key: string,
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
    if (verdict === 'unknown') unreachable.set(key, true)
    else if (fetched && fetched.status >= 500) failing.set(key, verdict)
    else known.set(key, verdict)
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

import type { Database } from '../../storage/database.ts'
import { findHost, type HostPlaces } from '../../storage/tables/crawl-hosts.ts'
import { listWaiting, stopWaiting } from '../../storage/tables/crawl-waits.ts'
import type { JobView } from '../../storage/tables/jobs.ts'
import type { ChangedJob } from '../announce-job.ts'
import type { Pauses } from './politeness.ts'

interface RoomParts {
  db: Database
  /** Lets another crawl have its turn at a host. */
  wake(job: ChangedJob): void
}

interface Room {
  free: number
  /** When the pause ends that keeps the crawl from more; infinity if none does. */
  nextAtMs: number
  /** The place to wait at for more; undefined where no other crawl is concerned. */
  waitAt: string | undefined
}

/** The places of a host at which a crawl must have room: that of its account, and that of all accounts. */
export const placesAt = (host: string, accountId: string): HostPlaces => ({
  host,
  accountId,
  // Host names have no spaces. `listWaiting` writes it in SQL.
  ofAccount: `${accountId} ${host}`,
})

/** How many pages of a host may be open, of the account and of all accounts. */
export interface HostLimits {
  accountMax: number
  max: number
}

/** One at a time where a pause applies. */
export const limitsAt = (pauses: Pauses, hostConcurrency: number): HostLimits => ({
  accountMax: pauses.accountMs > 0 ? 1 : hostConcurrency,
  max: pauses.hostMs > 0 ? 1 : hostConcurrency,
})

const extraShare = 1 / 4

/**
 * A full host opens extra places, one for each account that holds none, while another holds several: pages
 * that take long would keep all others from the host. A limit below four is too small for any.
 */
function withExtraPlaces(
  limits: HostLimits,
  held: { openCount: number; holderCount: number; accountCount: number },
): HostLimits {
  const isKeptOut = held.accountCount === 0 && held.openCount >= limits.max
  if (!isKeptOut || held.openCount === held.holderCount) return limits
  return { accountMax: 1, max: limits.max + Math.floor(limits.max * extraShare) }
}

/**
 * How many pages of a host a crawl may queue now. Crawls that want the same host take turns, page by page:
 * first those of one account, then the accounts. A crawl that its own account keeps from its next page does not
 * wait for the host, or it would hold up others.
 */
export async function roomAtHost(
  parts: RoomParts,
  { id: jobId }: JobView,
  { places, limits: usual }: { places: HostPlaces; limits: HostLimits },
) {
  const { db } = parts
  const nowMs = db.nowMs()
  const { host, ofAccount } = places
  const [[known], waitingOfAccount, waitingOfAll] = await db.transaction([
    findHost(places, jobId),
    listWaiting(ofAccount, nowMs),
    listWaiting(host, nowMs),
  ] as const)
  if (!known) throw new Error('The store gave no counts of a host.')
  const { accountCount, accountNextAtMs, openCount, nextAtMs, ownCount } = known
  const limits = withExtraPlaces(usual, known)
  const crawl = { jobId, ownCount, nowMs }
  const atAccount = roomAt(parts, crawl, {
    name: ofAccount,
    max: limits.accountMax,
    openCount: accountCount,
    nextAtMs: accountNextAtMs,
    waiting: waitingOfAccount,
  })
  if (atAccount.free <= 0) {
    await db.run(stopWaiting(host, jobId))
    return { ...atAccount, limits }
  }
  const atHost = roomAt(parts, crawl, {
    name: host,
    max: limits.max,
    openCount,
    nextAtMs,
    waiting: waitingOfAll,
  })
  const free = Math.min(atAccount.free, atHost.free)
  const isAccountFull = accountCount + free >= usual.accountMax
  const next = atAccount.waitAt ?? (isAccountFull ? undefined : atHost.waitAt)
  const waitAt = free <= 0 ? atHost.waitAt : next
  return { free, limits, nextAtMs: atHost.nextAtMs, waitAt }
}

interface Place {
  name: string
  max: number
  openCount: number
  nextAtMs: number
  /** The first crawls that wait for it. */
  waiting: readonly ChangedJob[]
}

function roomAt(
  { wake }: RoomParts,
  crawl: { jobId: string; ownCount: number; nowMs: number },
  { name, max, openCount, nextAtMs, waiting }: Place,
): Room {
  const [first] = waiting
  const isOthersTurn = first !== undefined && first.id !== crawl.jobId
  const hasOthers = isOthersTurn || waiting.length > 1
  const waitAt = hasOthers || openCount > crawl.ownCount ? name : undefined
  if (nextAtMs > crawl.nowMs) return { free: 0, nextAtMs, waitAt }
  if (isOthersTurn) wake(first)
  const left = max - openCount
  const free = isOthersTurn ? 0 : hasOthers ? Math.min(left, 1) : left
  return { free, nextAtMs: Number.POSITIVE_INFINITY, waitAt }
}

import { Resolver as DnsResolver } from 'node:dns/promises'
import { withDeadline } from '../runtime/deadline.ts'
import { TtlCache } from '../runtime/sharing/ttl-cache.ts'
import { outboundDeadline } from './outbound-deadline.ts'
import { outboundError } from './outbound-error.ts'

/** Resolves names by DNS, with a cache. The guard checks the addresses again at every connection. */
export interface Resolver {
  /** Resolves to the first addresses to dial; they may be of one family (IPv4 or IPv6) only. */
  resolve(name: string, limits: { signal: AbortSignal; deadlineMs: number }): Promise<string[]>
  /** Finds all addresses, for checking a name that a proxy will resolve. */
  lookUp(name: string): Lookup
}

/** A DNS lookup: one query for IPv4 and one for IPv6. */
export interface Lookup {
  readonly startedAtMs: number
  /** Every address found so far. */
  readonly found: readonly string[]
  /** Fulfilled when both queries have ended. */
  readonly completed: Promise<unknown>
}

interface SharedLookup extends Lookup {
  readonly firstAddresses: Promise<string[]>
  isReusable(): boolean
}

interface Answer {
  address: string
  ttl: number
}

/** A name with more addresses than this is not cached. */
const cachedAddressesMax = 64
const dialledAddressesMax = 16
/** Caps the TTL of a DNS record, so that a server that moves is found soon. */
const ttlMsMax = 30_000
const cachedNamesMax = 10_000
/** How long to wait for the second family after the first has answered: its reply may be lost. */
const otherFamilyMs = 100

/**
 * Queries DNS servers directly: `dns.lookup` shares four threads with all other work, and reads hosts
 * files and search domains. `servers` are `ip`, `ip:port` or `[ip]:port`; none means the system's.
 */
export function createResolver({ servers }: { servers: readonly string[] }): Resolver {
  const query = createQuery(servers)
  const lookups = new TtlCache<SharedLookup>({ entriesMax: cachedNamesMax })

  return {
    async resolve(name, limits) {
      if (name === 'localhost') return ['127.0.0.1', '::1']
      return withDeadline(lookUp(name).firstAddresses, outboundDeadline(limits, 'dns_silent'))
    },
    lookUp,
  }

  function lookUp(name: string): SharedLookup {
    const known = lookups.get(name)
    if (known?.isReusable()) return known
    const lookup = queryBoth(query, name)
    lookups.set(name, lookup)
    const evictUnlessReusable = () => {
      if (!lookup.isReusable() && lookups.get(name) === lookup) lookups.delete(name)
    }
    lookup.firstAddresses.then(evictUnlessReusable, evictUnlessReusable)
    void lookup.completed.then(evictUnlessReusable)
    return lookup
  }
}

type Query = (type: 'resolve4' | 'resolve6', name: string) => Promise<Answer[]>

/** Asks the next server where one fails: c-ares takes that for the answer, and passes over silent ones alone. */
function createQuery(given: readonly string[]): Query {
  const servers = given.length > 0 ? given : new DnsResolver().getServers()
  const resolvers = servers.map((_, from) => {
    const resolver = new DnsResolver({ timeout: 2000, tries: 2 })
    resolver.setServers(servers.slice(from))
    return resolver
  })
  return async (type, name) => {
    let failure: unknown
    for (const resolver of resolvers) {
      try {
        return await resolver[type](name, { ttl: true })
      } catch (error) {
        failure = error
        if (!failedCodes.has(codeOf(error))) break
      }
    }
    throw failure
  }
}

/** Queries IPv4 and IPv6 in parallel, because a network often lacks one of them. */
function queryBoth(query: Query, name: string): SharedLookup {
  const found: string[] = []
  let expiresAtMs = Number.POSITIVE_INFINITY
  let isPending = true
  const keep = (answers: Answer[]): Answer[] => {
    const ttlMs = Math.min(ttlMsMax, ...answers.map(({ ttl }) => ttl * 1000))
    expiresAtMs = Math.min(expiresAtMs, performance.now() + ttlMs)
    found.push(...answers.map(({ address }) => address))
    return answers
  }
  const ipv4 = query('resolve4', name).then(keep)
  const ipv6 = query('resolve6', name).then(keep)
  const firstAddresses = chooseFirst(ipv4, ipv6).finally(() => {
    isPending = false
  })
  return {
    startedAtMs: performance.now(),
    found,
    completed: Promise.allSettled([ipv4, ipv6]),
    firstAddresses,
    isReusable() {
      if (isPending) return true
      const isCacheable = found.length > 0 && found.length <= cachedAddressesMax
      return isCacheable && expiresAtMs > performance.now()
    },
  }
}

/** Takes addresses of both families by turns, so that a broken family cannot use up the list. */
async function chooseFirst(...queries: [Promise<Answer[]>, Promise<Answer[]>]): Promise<string[]> {
  const isLate = afterFirstAnswer(...queries)
  const outcomes = await Promise.all(queries.map((one) => Promise.race([settled(one), isLate])))
  const [first = [], second = []] = outcomes.map((outcome) => outcome.answers)
  const pairs = Array.from({ length: dialledAddressesMax }, (_, at) => [first[at], second[at]])
  const answers = pairs
    .flat()
    .filter((answer) => answer !== undefined)
    .slice(0, dialledAddressesMax)
  if (answers.length > 0) return answers.map(({ address }) => address)
  const errors = outcomes.map((outcome) => outcome.error)
  const isUnanswered = errors.some((error) => unansweredCodes.has(codeOf(error)))
  throw outboundError(isUnanswered ? 'dns_silent' : 'dns', errors[0])
}

interface Outcome {
  answers: Answer[]
  error?: unknown
}

const settled = (query: Promise<Answer[]>): Promise<Outcome> =>
  query.then(
    (answers) => ({ answers }),
    (error: unknown) => ({ answers: [], error }),
  )

/** Resolves shortly after the first family has answered; never while none has. */
const afterFirstAnswer = (...queries: Promise<Answer[]>[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const startTimer = () => setTimeout(resolve, otherFamilyMs, { answers: [] }).unref()
    for (const one of queries) one.then(startTimer, () => {})
  })

// A server that fails says nothing about the name.
const failedCodes = new Set<unknown>(['ESERVFAIL', 'EREFUSED', 'ENOTIMP'])
const unansweredCodes = new Set<unknown>(['ETIMEOUT', 'ECONNREFUSED', ...failedCodes])

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

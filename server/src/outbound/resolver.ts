import { Resolver as DnsResolver } from 'node:dns/promises'
import { withDeadline } from '../runtime/deadline.ts'
import { TtlCache } from '../runtime/ttl-cache.ts'
import { outboundDeadline } from './outbound-deadline.ts'
import { outboundError } from './outbound-error.ts'

/** Turns names into addresses. What they are good for is decided at every connection anew. */
export interface Resolver {
  /** A few to dial, as soon as there are some: they may be of one family only. */
  resolve(name: string, limits: { signal: AbortSignal; deadlineMs: number }): Promise<string[]>
  /** All there are, for whoever judges a name that others will look up. */
  lookUp(name: string): Lookup
}

/** One question for each family. */
export interface Lookup {
  readonly beganMs: number
  /** Every address of the families that have answered so far. */
  readonly found: readonly string[]
  /** Fulfilled when nothing more will be found. */
  readonly whole: Promise<unknown>
}

interface SharedLookup extends Lookup {
  readonly soon: Promise<string[]>
  isGoodForOthers(): boolean
}

interface Answer {
  address: string
  ttl: number
}

/** A name with more addresses than these is judged by all of them, and asked for each time. */
const answersKeptMax = 64
const answersDialledMax = 16
/** However long a name may be kept by its own word: a server that moves is followed soon. */
const keptMsMax = 30_000
const namesKeptMax = 10_000
/** How long a family that has answered waits for the other one, which may be lost on the way. */
const otherFamilyMs = 100

/**
 * Asks the DNS itself: `dns.lookup` would share four threads with everything else, and read hosts
 * files and search domains. `servers` are `ip`, `ip:port` or `[ip]:port`; none means the system's.
 */
export function createResolver({ servers }: { servers: readonly string[] }): Resolver {
  const dns = new DnsResolver({ timeout: 2000, tries: 2 })
  if (servers.length > 0) dns.setServers(servers)
  const lookups = new TtlCache<SharedLookup>({ entriesMax: namesKeptMax })

  return {
    async resolve(name, limits) {
      if (name === 'localhost') return ['127.0.0.1', '::1']
      return withDeadline(lookUp(name).soon, outboundDeadline(limits))
    },
    lookUp,
  }

  function lookUp(name: string): SharedLookup {
    const known = lookups.get(name)
    if (known?.isGoodForOthers()) return known
    const lookup = askBoth(dns, name)
    lookups.set(name, lookup)
    const review = () => {
      if (!lookup.isGoodForOthers() && lookups.get(name) === lookup) lookups.delete(name)
    }
    lookup.soon.then(review, review)
    void lookup.whole.then(review)
    return lookup
  }
}

/** IPv4 and IPv6 at once: a network often lacks one of them. */
function askBoth(dns: DnsResolver, name: string): SharedLookup {
  const found: string[] = []
  let keptUntilMs = Number.POSITIVE_INFINITY
  let isUnderway = true
  const keep = (answers: Answer[]): Answer[] => {
    const keptMs = Math.min(keptMsMax, ...answers.map(({ ttl }) => ttl * 1000))
    keptUntilMs = Math.min(keptUntilMs, performance.now() + keptMs)
    found.push(...answers.map(({ address }) => address))
    return answers
  }
  const ipv4 = dns.resolve4(name, { ttl: true }).then(keep)
  const ipv6 = dns.resolve6(name, { ttl: true }).then(keep)
  const soon = chooseSoon(ipv4, ipv6).finally(() => {
    isUnderway = false
  })
  return {
    beganMs: performance.now(),
    found,
    whole: Promise.allSettled([ipv4, ipv6]),
    soon,
    isGoodForOthers() {
      if (isUnderway) return true
      const isKept = found.length > 0 && found.length <= answersKeptMax
      return isKept && keptUntilMs > performance.now()
    },
  }
}

/** Of each family one in turn. */
async function chooseSoon(...asked: [Promise<Answer[]>, Promise<Answer[]>]): Promise<string[]> {
  const isLate = lateAfterEither(...asked)
  const outcomes = await Promise.all(asked.map((one) => Promise.race([settled(one), isLate])))
  const [first = [], second = []] = outcomes.map((outcome) => outcome.answers)
  const inTurn = Array.from({ length: answersDialledMax }, (_, at) => [first[at], second[at]])
  const answers = inTurn
    .flat()
    .filter((answer) => answer !== undefined)
    .slice(0, answersDialledMax)
  if (answers.length > 0) return answers.map(({ address }) => address)
  const errors = outcomes.map((outcome) => outcome.error)
  const isUnanswered = errors.some((error) => codeOf(error) === 'ETIMEOUT')
  throw outboundError(isUnanswered ? 'timeout' : 'dns', errors[0])
}

interface Outcome {
  answers: Answer[]
  error?: unknown
}

const settled = (asked: Promise<Answer[]>): Promise<Outcome> =>
  asked.then(
    (answers) => ({ answers }),
    (error: unknown) => ({ answers: [], error }),
  )

/** Becomes true a moment after one family had an answer; as long as none has, there is no hurry. */
const lateAfterEither = (...asked: Promise<Answer[]>[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const hurry = () => setTimeout(resolve, otherFamilyMs, { answers: [] }).unref()
    for (const one of asked) one.then(hurry, () => {})
  })

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code

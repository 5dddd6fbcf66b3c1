import { Resolver as DnsResolver } from 'node:dns/promises'
import { outboundError } from './http-client.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Turns names into addresses. What they are good for is decided at every connection anew. */
export interface Resolver {
  resolve(name: string, limits: { signal: AbortSignal; deadlineMs: number }): Promise<string[]>
}

interface Answer {
  address: string
  ttl: number
}

interface Remembered {
  addresses: string[]
  untilMs: number
}

const answersMax = 16
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
  const remembered = new Map<string, Remembered>()
  const underway = new Map<string, Promise<string[]>>()

  return {
    async resolve(name, limits) {
      if (name === 'localhost') return ['127.0.0.1', '::1']
      const known = remembered.get(name)
      if (known && known.untilMs > performance.now()) return known.addresses
      return waitAtMost(underway.get(name) ?? look(name), limits)
    },
  }

  function look(name: string): Promise<string[]> {
    const lookup = askBoth(dns, name)
      .then((answers) => {
        remember(name, answers)
        return answers.map(({ address }) => address)
      })
      .finally(() => underway.delete(name))
    underway.set(name, lookup)
    return lookup
  }

  function remember(name: string, answers: Answer[]): void {
    const keptMs = Math.min(keptMsMax, ...answers.map(({ ttl }) => ttl * 1000))
    remembered.delete(name)
    if (keptMs <= 0) return
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= namesKeptMax) remembered.delete(oldest)
    const addresses = answers.map(({ address }) => address)
    remembered.set(name, { addresses, untilMs: performance.now() + keptMs })
  }
}

/** IPv4 and IPv6 at once, one of each in turn: a network often lacks one of them. */
async function askBoth(dns: DnsResolver, name: string): Promise<Answer[]> {
  const ipv4 = dns.resolve4(name, { ttl: true })
  const ipv6 = dns.resolve6(name, { ttl: true })
  const isLate = lateAfterEither(ipv4, ipv6)
  const outcomes = await Promise.all(
    [ipv4, ipv6].map((asked) => Promise.race([settled(asked), isLate])),
  )
  const [first = [], second = []] = outcomes.map((outcome) => outcome.answers)
  const inTurn = Array.from({ length: answersMax }, (_, index) => [first[index], second[index]])
  const answers = inTurn
    .flat()
    .filter((answer) => answer !== undefined)
    .slice(0, answersMax)
  if (answers.length > 0) return answers
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

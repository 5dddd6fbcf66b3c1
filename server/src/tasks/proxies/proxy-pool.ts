import { randomBytes } from 'node:crypto'
import {
  chooseProxy,
  meetsRequirements,
  type ProxyCandidate,
  type ProxyRequirements,
} from '../../domain/proxy/choose-proxy.ts'
import {
  fillProxyTemplate,
  servesAnyCountry,
  sessionCharacters,
} from '../../domain/proxy/fill-proxy-template.ts'
import type { KeptProxy, ListedProxy, ProxyRoute } from '../../domain/proxy/proxy.ts'
import {
  afterOutcome,
  isCoolingDown,
  type ProxyOutcome,
  scoreAt,
  unknownHealth,
} from '../../domain/proxy/proxy-health.ts'
import type { AttemptRecord } from '../../domain/task/attempt.ts'
import { BlamedProxies } from './blamed-proxies.ts'
import type { ProxyOutages } from './proxy-outages.ts'

/** What one attempt needs. */
interface ProxyWish {
  accountId: string
  requirements: ProxyRequirements
  /** The labels of the proxies that the task has used, in order. */
  tried: readonly string[]
  /** The proxy of its session. */
  kept?: KeptProxy | undefined
}

/** One attempt's use of a proxy; disposing it unreleased does not affect the proxy's health. */
export interface ProxyUse extends Disposable {
  readonly route: ProxyRoute
  /** Makes a later attempt use the same exit. */
  readonly kept: KeptProxy
  /** Only the first call counts. */
  release(outcome: ProxyOutcome): void
}

/** The status of a proxy, without its address and credentials. */
export interface ProxyStatus {
  label: string
  type: ListedProxy['type']
  country: string | null
  servesAnyCountry: boolean
  /** How much longer it cools down, for one account at least; 0 if it does not. */
  cooldownMs: number
  score: number
  latencyMs: number | undefined
  activeUses: number
}

interface ProxyPoolParts {
  proxies: readonly ListedProxy[]
  nowMs: () => number
  onReleased?: (label: string, kind: ProxyOutcome['kind']) => void
  outages?: Pick<ProxyOutages, 'onRefused' | 'onUsable'>
}

export type ProxyPool = ReturnType<typeof createProxyPool>

/** The operator's proxies, with their health and their active uses in this process. */
export function createProxyPool(parts: ProxyPoolParts) {
  const { proxies, nowMs, onReleased, outages } = parts
  let byLabel = new Map<string, ProxyCandidate>()
  let candidates: ProxyCandidate[] = []
  const blamed = new BlamedProxies()
  let chosenSeq = 0
  replace(proxies)

  /** Replaces the list; a proxy that is unchanged under its label keeps its health. */
  function replace(listed: readonly ListedProxy[]): void {
    candidates = listed.map((proxy) => {
      const known = byLabel.get(proxy.label)
      if (!known || !isSame(known.proxy, proxy)) return createCandidate(proxy)
      // The object is reused, so that running attempts decrement the right counter.
      return Object.assign(known, { proxy, servesAnyCountry: servesAnyCountry(proxy) })
    })
    byLabel = new Map(candidates.map((one) => [one.proxy.label, one]))
    blamed.keepOnly(new Set(candidates))
    outages?.onUsable(candidates)
  }

  const coolsDownFor = (accountId: string) => {
    const now = nowMs()
    const blamedByAccount = blamed.of(accountId)
    return (candidate: ProxyCandidate): boolean =>
      isCoolingDown(candidate.health, now) ||
      (candidate.isBlamed && isCoolingDown(blamedByAccount?.get(candidate) ?? unknownHealth, now))
  }

  function startUse(
    candidate: ProxyCandidate,
    { accountId, requirements }: ProxyWish,
    session = newProxySession(),
  ): ProxyUse {
    const { country } = requirements
    const route = fillProxyTemplate(candidate.proxy, { country, session })
    candidate.activeUses += 1
    candidate.lastChosenSeq = ++chosenSeq
    const begunAtMs = nowMs()
    let isReleased = false
    const release = (outcome: ProxyOutcome): void => {
      if (isReleased) return
      isReleased = true
      candidate.activeUses -= 1
      const times = { begunAtMs, nowMs: nowMs() }
      candidate.health = afterOutcome(candidate.health, outcome, times)
      onReleased?.(candidate.proxy.label, outcome.kind)
      if (outcome.kind === 'refused') outages?.onRefused(candidates, requirements)
      if (outcome.kind === 'carried') {
        blamed.onCarried(accountId, candidate, outcome.latencyMs, times)
        outages?.onUsable(candidates)
      }
    }
    return {
      route,
      kept: { label: candidate.proxy.label, session },
      release,
      [Symbol.dispose]: () => release({ kind: 'unknown' }),
    }
  }

  return {
    /** Whether no proxy is configured, so that connections are direct. */
    get isEmpty(): boolean {
      return candidates.length === 0
    },
    /** Whether a configured proxy meets the requirements, in whatever health. */
    fits: (requirements: ProxyRequirements): boolean =>
      candidates.some((candidate) => meetsRequirements(candidate, requirements)),
    /**
     * Chooses a proxy for one attempt. It is `kept` if that is still listed, meets the requirements and
     * does not cool down (sticky session).
     */
    choose(wish: ProxyWish): ProxyUse | undefined {
      const { requirements, kept } = wish
      const coolsDown = coolsDownFor(wish.accountId)
      const held = byLabel.get(kept?.label ?? '')
      if (kept && held && meetsRequirements(held, requirements) && !coolsDown(held)) {
        return startUse(held, wish, kept.session)
      }
      const tried = wish.tried.map((label) => byLabel.get(label)).filter((one) => one !== undefined)
      const chosen = chooseProxy(candidates, requirements, { tried, nowMs: nowMs(), coolsDown })
      return chosen && startUse(chosen, wish)
    },
    /** Reports that this attempt failed and its task then succeeded through another proxy. */
    blame(
      accountId: string,
      { proxy, startedAtMs }: Pick<AttemptRecord, 'proxy' | 'startedAtMs'>,
    ): void {
      const candidate = byLabel.get(proxy ?? '')
      if (candidate) blamed.blame(accountId, candidate, { begunAtMs: startedAtMs, nowMs: nowMs() })
    },
    list(): ProxyStatus[] {
      const lastMs = blamed.lastCoolDowns()
      return candidates.map((candidate) => toStatus(candidate, lastMs.get(candidate) ?? 0, nowMs()))
    },
    replace,
  }
}

const createCandidate = (proxy: ListedProxy): ProxyCandidate => ({
  proxy,
  servesAnyCountry: servesAnyCountry(proxy),
  health: unknownHealth,
  isBlamed: false,
  activeUses: 0,
  // A random start of the round robin: processes that start together begin with different proxies.
  lastChosenSeq: -Math.random(),
})

/** Compares credentials as well: a proxy that refused the old password may accept the new one. */
const isSame = (one: ListedProxy, other: ListedProxy): boolean =>
  one.protocol === other.protocol &&
  one.host === other.host &&
  one.port === other.port &&
  one.user?.name === other.user?.name &&
  one.user?.password === other.user?.password

function toStatus(candidate: ProxyCandidate, blamedUntilMs: number, nowMs: number): ProxyStatus {
  const { proxy, health, activeUses } = candidate
  return {
    label: proxy.label,
    type: proxy.type,
    country: proxy.country,
    servesAnyCountry: candidate.servesAnyCountry,
    cooldownMs: Math.max(0, health.coolsDownUntilMs - nowMs, blamedUntilMs - nowMs),
    score: scoreAt(health, nowMs),
    latencyMs: health.latencyMs,
    activeUses,
  }
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** A value for `{session}`, new for each attempt: a vendor's gateway gives each its own exit IP. */
export function newProxySession(): string {
  let session = ''
  for (const byte of randomBytes(sessionCharacters)) session += alphabet[byte % alphabet.length]
  return session
}

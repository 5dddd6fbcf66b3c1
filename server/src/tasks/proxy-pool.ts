import {
  chooseProxy,
  meetsRequirements,
  type ProxyCandidate,
  type ProxyRequirements,
} from '../domain/proxy/choose-proxy.ts'
import { fillProxyTemplate, servesAnyCountry } from '../domain/proxy/fill-proxy-template.ts'
import type { ListedProxy, ProxyRoute } from '../domain/proxy/proxy.ts'
import {
  afterOutcome,
  isCoolingDown,
  type ProxyOutcome,
  scoreAt,
  unknownHealth,
} from '../domain/proxy/proxy-health.ts'
import type { AttemptRecord } from '../domain/task/attempt.ts'
import { newProxySession } from './proxy-session.ts'

/** The operator's proxies, what became of their uses, and what they carry at the moment in this process. */
export interface ProxyPool {
  /** No proxy is configured: connections are direct. */
  readonly isEmpty: boolean
  /** Whether there is one for that, however it is at the moment. */
  fits(wish: ProxyRequirements): boolean
  /** For one attempt; `tried` are the labels of those the task has used, in their order. */
  choose(wish: ProxyRequirements, tried: readonly string[]): ProxyUse | undefined
  /** Another has brought a task what this attempt of it did not. */
  blame(attempt: Pick<AttemptRecord, 'proxy' | 'startedAtMs'>): void
  list(): ProxyStanding[]
  /** What is known of a proxy is kept where it is still the same one under the same label. */
  replace(proxies: readonly ListedProxy[]): void
}

/** A proxy that one attempt has; disposing it unreleased tells nothing about the proxy. */
export interface ProxyUse extends Disposable {
  readonly route: ProxyRoute
  /** Only the first call counts. */
  release(outcome: ProxyOutcome): void
}

/** How a proxy is, without anything that opens it. */
export interface ProxyStanding {
  label: string
  type: ListedProxy['type']
  country: string | null
  isAnywhere: boolean
  /** 0 unless it cools down. */
  coolsDownForMs: number
  score: number
  latencyMs: number | undefined
  usesUnderWay: number
}

interface ProxyPoolParts {
  proxies: readonly ListedProxy[]
  nowMs: () => number
  onReleased?: (label: string, kind: ProxyOutcome['kind']) => void
}

export function createProxyPool({ proxies, nowMs, onReleased }: ProxyPoolParts): ProxyPool {
  let byLabel = new Map<string, ProxyCandidate>()
  let candidates: ProxyCandidate[] = []
  let turn = 0
  replace(proxies)

  function replace(listed: readonly ListedProxy[]): void {
    candidates = listed.map((proxy) => {
      const known = byLabel.get(proxy.label)
      if (!known || !isSame(known.proxy, proxy)) return createCandidate(proxy)
      // The same object, so that what is under way is counted down in the right place.
      return Object.assign(known, { proxy, servesAnyCountry: servesAnyCountry(proxy) })
    })
    byLabel = new Map(candidates.map((one) => [one.proxy.label, one]))
  }

  function use(candidate: ProxyCandidate, country: string | null): ProxyUse {
    const route = fillProxyTemplate(candidate.proxy, { country, session: newProxySession() })
    candidate.activeUses += 1
    candidate.lastChosenSeq = ++turn
    const begunAtMs = nowMs()
    let isReleased = false
    const release = (outcome: ProxyOutcome): void => {
      if (isReleased) return
      isReleased = true
      candidate.activeUses -= 1
      candidate.health = afterOutcome(candidate.health, outcome, {
        begunAtMs,
        nowMs: nowMs(),
      })
      onReleased?.(candidate.proxy.label, outcome.kind)
    }
    return {
      route,
      release,
      [Symbol.dispose]: () => release({ kind: 'unknown' }),
    }
  }

  return {
    get isEmpty() {
      return candidates.length === 0
    },
    fits: (wish) => candidates.some((candidate) => meetsRequirements(candidate, wish)),
    choose(wish, labels) {
      const tried = labels.map((label) => byLabel.get(label)).filter((one) => one !== undefined)
      const chosen = chooseProxy(candidates, wish, { tried, nowMs: nowMs() })
      return chosen && use(chosen, wish.country)
    },
    blame({ proxy, startedAtMs }) {
      const candidate = byLabel.get(proxy ?? '')
      if (!candidate) return
      const times = { begunAtMs: startedAtMs, nowMs: nowMs() }
      candidate.health = afterOutcome(candidate.health, { kind: 'refused' }, times)
    },
    list() {
      const now = nowMs()
      return candidates.map((candidate) => toStanding(candidate, now))
    },
    replace,
  }
}

const createCandidate = (proxy: ListedProxy): ProxyCandidate => ({
  proxy,
  servesAnyCountry: servesAnyCountry(proxy),
  health: unknownHealth,
  activeUses: 0,
  // Before the first turn, in any order: processes that start together do not all begin with one proxy.
  lastChosenSeq: -Math.random(),
})

/** Also by the password: who was refused for the old one need not be for the new one. */
const isSame = (one: ListedProxy, other: ListedProxy): boolean =>
  one.protocol === other.protocol &&
  one.host === other.host &&
  one.port === other.port &&
  one.user?.name === other.user?.name &&
  one.user?.password === other.user?.password

function toStanding(candidate: ProxyCandidate, nowMs: number): ProxyStanding {
  const { proxy, health, activeUses: usesUnderWay } = candidate
  return {
    label: proxy.label,
    type: proxy.type,
    country: proxy.country,
    isAnywhere: candidate.servesAnyCountry,
    coolsDownForMs: isCoolingDown(health, nowMs) ? health.coolsDownUntilMs - nowMs : 0,
    score: scoreAt(health, nowMs),
    latencyMs: health.latencyMs,
    usesUnderWay,
  }
}

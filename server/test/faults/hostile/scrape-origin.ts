import { realtimePath } from '../../support/scrape-calls.ts'
import type { TestAccount } from '../../support/test-service.ts'
import type { HostileOrigin, Stage } from './hostile-case.ts'

/** What came of a hostile peer. */
export interface PeerOutcome {
  name: string
  expected: string
  verdict: string
  /** The time of the slowest verdict. */
  tookMs: number
  withinMs: number
}

export type OriginCaller = Pick<TestAccount, 'call'>

/** Starts it and asks for it as often as it has verdicts. */
export async function scrapeOrigin(
  stage: Stage,
  caller: OriginCaller,
  origin: HostileOrigin,
): Promise<PeerOutcome> {
  const url = await origin.start(stage)
  const verdicts: string[] = []
  let tookMs = 0
  for (const _ of origin.verdicts) {
    const startedAtMs = performance.now()
    verdicts.push(await scrapeOnce(caller, origin, url))
    tookMs = Math.max(tookMs, performance.now() - startedAtMs)
  }
  return {
    name: origin.name,
    expected: origin.verdicts.join(', '),
    verdict: verdicts.join(', '),
    tookMs,
    withinMs: origin.withinMs,
  }
}

async function scrapeOnce(caller: OriginCaller, { ask, isRight }: HostileOrigin, url: string) {
  const configurations = {
    response_format: 'json',
    retries: { useRetries: false },
    ...ask?.configurations,
  }
  const answer = await caller.call(`POST ${realtimePath}`, { ...ask, url, configurations })
  if (answer.statusCode !== 200) return String(answer.json().code)
  const status = answer.headers['x-target-status'] ?? 'no status'
  return !isRight || isRight(answer.json()) ? status : `${status}, but not as it should be`
}

import { TtlCache } from '../../runtime/ttl-cache.ts'
import type { OutboundProblem } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

/** The last problem of each target. */
export interface TargetProblems {
  remember(target: Target, problem: OutboundProblem): void
  find(target: Target): OutboundProblem | undefined
}

const targetsMax = 1000

export function createTargetProblems(): TargetProblems {
  const problems = new TtlCache<OutboundProblem>({ entriesMax: targetsMax })
  return {
    remember(target, problem) {
      // An exchange that we aborted says nothing about the target.
      if (problem !== 'aborted') problems.set(keyOf(target), problem)
    },
    find: (target) => problems.get(keyOf(target)),
  }
}

const keyOf = ({ host, port }: Target): string => `${host}:${port}`

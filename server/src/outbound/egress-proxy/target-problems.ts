import { TtlCache } from '../../runtime/sharing/ttl-cache.ts'
import type { OutboundProblem } from '../outbound-error.ts'
import type { Target } from './request-target.ts'

const targetsMax = 1000

export type TargetProblems = ReturnType<typeof createTargetProblems>

export function createTargetProblems() {
  const problems = new TtlCache<OutboundProblem>({ entriesMax: targetsMax })
  return {
    remember(target: Target, problem: OutboundProblem): void {
      // An exchange that we aborted says nothing about the target.
      if (problem !== 'aborted') problems.set(keyOf(target), problem)
    },
    find: (target: Target): OutboundProblem | undefined => problems.get(keyOf(target)),
  }
}

const keyOf = ({ host, port }: Target): string => `${host}:${port}`

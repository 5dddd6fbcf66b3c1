import type { PagesByState } from './shown-job.ts'

/** A part of a ring, in percent of it. */
export interface RingArc {
  state: 'completed' | 'failed' | 'cancelled'
  from: number
  length: number
}

const states = ['completed', 'failed', 'cancelled'] as const

/** The ended pages of a job as parts of a ring, one behind the other; what is left of it is pending. */
export function ringArcs(counts: PagesByState): RingArc[] {
  let from = 0
  const arcs: RingArc[] = []
  for (const state of states) {
    const length = counts.total === 0 ? 0 : (counts[state] / counts.total) * 100
    if (length > 0) arcs.push({ state, from, length })
    from += length
  }
  return arcs
}

/** It says 100 % only when nothing is left, and 0 % only when nothing has ended. */
export function endedPercent({ total, pending }: PagesByState): number {
  if (total === 0 || pending === total) return 0
  if (pending === 0) return 100
  return Math.min(99, Math.max(1, Math.round(((total - pending) / total) * 100)))
}

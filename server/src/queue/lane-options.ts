import type { Lane } from '../domain/lane.ts'
import type { Lease } from './lease.ts'
import type { Solitude } from './solitude.ts'

export interface LaneOptions<Handed> {
  lane: Lane
  /** Where it changes: less ends nothing, and the lane is to be woken when there is more. */
  slotsMax: number | (() => number)
  /**
   * Does the work and settles the lease. What the process knew already when it wrote the entry is
   * handed over and need not be read again.
   */
  work(lease: Lease, handed: Handed | undefined): Promise<void>
  /** What took this many processes down is worked on with nothing beside it. */
  crashesBeforeAlone?: number
  /** Shared by the lanes in which nothing is to be beside it; this lane only where none is given. */
  solitude?: Solitude
  /** Whether others can find out that the lane is worked on, for lanes that not every worker can. */
  isAdvertised?: () => boolean
  /** Whether one more with this gate may be worked on, beside those here and in other processes. */
  hasRoom(gate: string, taken: { here: number; elsewhere: number }): boolean
  /** What was handed over without what is too large to be kept in line. */
  lighten?(handed: Handed): Handed
  /**
   * Work that takes longer than this gives up its slot to others, its gate's excepted: one that
   * waits for somebody silent must not hold up the rest. As many as there are slots may do so.
   */
  patienceMs?: number
  /** Whether `hasRoom` looks elsewhere: then processes claim one after the other. */
  areGatesShared?: boolean
}

export const slotsMaxOf = ({ slotsMax }: Pick<LaneOptions<never>, 'slotsMax'>): (() => number) =>
  typeof slotsMax === 'function' ? slotsMax : () => slotsMax
